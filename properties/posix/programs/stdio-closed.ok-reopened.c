/* A stream is opened anew, and streams come back at the same place. */
#define _GNU_SOURCE
#include <mntent.h>
#include <pwd.h>
#include <stdio.h>

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen("/dev/null", "w");
        f = freopen("/dev/zero", "r", f);
        sum += fgetc(f);
        fclose(f);
        sum += getpwnam("root") == NULL;
        FILE *mounts = setmntent("/proc/mounts", "r");
        sum += getmntent(mounts) == NULL;
        endmntent(mounts);
    }
    printf("%d\n", sum);
    return 0;
}

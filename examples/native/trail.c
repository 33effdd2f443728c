// A program that crashes far away from its mistake: the pointer it follows was set to null by a
// function that had no business doing so.
//
//   cc -g -O0 trail.c -o trail
//   watchword debug --batch -p trail.ww -s trail.scn -- ./trail

#include <stdio.h>
#include <stdlib.h>

struct user {
    const char *name;
    struct user *friend;
};

static struct user *current;

static struct user *make_user(const char *name, struct user *friend) {
    struct user *u = malloc(sizeof *u);
    u->name = name;
    u->friend = friend;
    return u;
}

static void log_in(struct user *u) {
    current = u;
}

static void forget_user(struct user *u) {
    if (current->friend == u) current = NULL;  // Only the friend should be forgotten.
}

static void show(void) {
    printf("%s\n", current->name);
}

int main(void) {
    struct user *ada = make_user("ada", NULL);
    struct user *bob = make_user("bob", ada);
    log_in(ada);
    show();
    log_in(bob);
    show();
    forget_user(ada);
    puts("all done but one");
    show();
    return 0;
}

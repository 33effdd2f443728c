/* Memory is freed again. */
#include "clause.h"

int main(int argc, char **argv) {
    char *memory = malloc(100), *volatile again = memory;
    free(memory);
    ON(free, free(again))
    ON(realloc, free(realloc(again, 200)))
    END;
}

// A program that forgets sessions while it walks over their table. GLib's documentation forbids that: the
// iterator is invalid once the table was changed by anything but the iterator itself.
//
//   cc -g -O0 table.c -l:libglib-2.0.so.0 -o table
//   watchword run -p glib-iterator.ww -- ./table
//
// What it needs of GLib is declared here, so that only the library has to be there, not its headers.

#include <stdio.h>
#include <string.h>

typedef struct table GHashTable;
typedef struct {
    void *private[6];
} GHashTableIter;

extern GHashTable *g_hash_table_new(unsigned (*hash)(const void *), int (*equal)(const void *, const void *));
extern int g_hash_table_insert(GHashTable *table, void *key, void *value);
extern int g_hash_table_remove(GHashTable *table, const void *key);
extern void g_hash_table_iter_init(GHashTableIter *iter, GHashTable *table);
extern int g_hash_table_iter_next(GHashTableIter *iter, void **key, void **value);
extern unsigned g_str_hash(const void *key);
extern int g_str_equal(const void *a, const void *b);

static void forget_guests(GHashTable *sessions) {
    GHashTableIter iter;
    void *key, *value;
    g_hash_table_iter_init(&iter, sessions);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (strcmp(value, "guest") == 0) g_hash_table_remove(sessions, key);
}

int main(void) {
    GHashTable *sessions = g_hash_table_new(g_str_hash, g_str_equal);
    g_hash_table_insert(sessions, "1", "ada");
    g_hash_table_insert(sessions, "2", "guest");
    g_hash_table_insert(sessions, "3", "bob");
    g_hash_table_insert(sessions, "4", "guest");
    forget_guests(sessions);
    puts("guests are forgotten");
    return 0;
}

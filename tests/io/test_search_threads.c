// One search and two archives, used by many threads at once: all find the same files.
#include <pthread.h>
#include <sys/stat.h>

#include "archive_fixture.h"
#include "io/file.h"

enum { THREADS = 8, LOADS = 40, MODELS = 4 };

static const char model_text[] = "Version { FormatVersion 800, }\nModel \"x\" { BlendTime 150, }\n"
                                 "Textures 3 { Bitmap { Image \"Deep\\Near.blp\", } Bitmap { Image \"T\\Wide.blp\", } "
                                 "Bitmap { Image \"Big.blp\", } }\n";

typedef struct crowd {
    char folder[64];
    sn_search *search;
    const sn_archive *archive, *mpq;
    int bad;
    pthread_mutex_t mutex;
} crowd;

static void put(const crowd *c, const char *name, const char *text)
{
    char path[200];
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    *strrchr(path, '/') = 0;
    assert_true(sni_file_make_folders(path, &diag));
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    assert_true(sni_file_write(path, text, strlen(text), &diag));
}

static bool holds(const sn_model *model, uint32_t image, const char *text)
{
    const sn_image *found = &model->images[image];
    return found->data && found->size == strlen(text) && memcmp(found->data, text, strlen(text)) == 0;
}

static void *load_all(void *user)
{
    crowd *c = user;
    int bad = 0;
    for (int i = 0; i < LOADS; i++) {
        char path[128];
        sn_bytes bytes = { 0 };
        sn_load_opts opts = { .search = c->search };
        snprintf(path, sizeof path, "%s/model%d/x.mdl", c->folder, i % MODELS);
        sn_model *model = sn_load_file(path, &opts, NULL);
        bad += !model || !holds(model, 0, "near") || !holds(model, 1, "wide") || !holds(model, 2, "archived");
        sn_model_free(model);
        if (i % 8 == 7) sn_search_refresh(c->search);
        bad += sn_archive_read(c->archive, "BIG.blp", &bytes, NULL) != SN_OK || bytes.size != 8;
        sn_bytes_free(&bytes);
        bad += sn_archive_read(c->mpq, "a\\secret", &bytes, NULL) != SN_OK || bytes.size != 1100;
        sn_bytes_free(&bytes);
    }
    pthread_mutex_lock(&c->mutex);
    c->bad += bad;
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

static void threads_share_a_search(void **state)
{
    archive_fixture *d = *state;
    crowd c = { .folder = "/tmp/sinew_threads_XXXXXX" };
    pthread_t threads[THREADS];
    char name[64], command[128];
    assert_non_null(mkdtemp(c.folder));
    pthread_mutex_init(&c.mutex, NULL);
    for (int i = 0; i < MODELS; i++) {
        snprintf(name, sizeof name, "model%d/x.mdl", i);
        put(&c, name, model_text);
        snprintf(name, sizeof name, "model%d/deep/NEAR.BLP", i);
        put(&c, name, "near");
    }
    put(&c, "game/a/b/wide.blp", "wide");
    static const char big[] = "BIGF\0\0\0\0\0\0\0\1\0\0\0\x20\0\0\0\x20\0\0\0\x08"
                              "Big.blp\0archived";
    sni_write_bytes(&d->out, big, sizeof big - 1);
    assert_true(open_archive(d));
    c.archive = d->archive;
    sn_archive *mpq = sn_archive_open(SINEW_TESTS_DIR "/sweep_samples/files.mpq", NULL, &d->error);
    assert_non_null(mpq);
    c.mpq = mpq;
    c.search = sn_search_create(NULL);
    assert_non_null(c.search);
    snprintf(name, sizeof name, "%s/game", c.folder);
    assert_int_equal(sn_search_add_folder(c.search, name, NULL), SN_OK);
    assert_int_equal(sn_search_add_archive(c.search, c.archive, NULL), SN_OK);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, load_all, &c), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(c.bad, 0);
    sn_search_free(c.search);
    sn_archive_close(d->archive);
    sn_archive_close(mpq);
    pthread_mutex_destroy(&c.mutex);
    snprintf(command, sizeof command, "rm -r %s", c.folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(threads_share_a_search, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

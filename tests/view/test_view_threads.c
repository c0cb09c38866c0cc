// The thread that draws thumbnails: asked, asked for others, collected from and stopped while it works. For the thread
// sanitizer; without a graphics driver the thumbnails say so, and the thread does the same.
#include "cli/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

enum { FILES = 5 };

static const char *const paths[FILES] = { SINEW_SAMPLES "/boar.mdx", SINEW_SAMPLES "/tank.tga",
                                          SINEW_SAMPLES "/house.w3d", SINEW_SAMPLES "/missing.mdx",
                                          SINEW_SAMPLES "/boar.mdx" };

static atomic_int woken;
static void wake(void) { atomic_fetch_add(&woken, 1); }

static void wait_a_little(void) { nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL); }

static void ask(cli_thumbs *thumbs, uint32_t first, uint32_t generation)
{
    cli_thumb_request requests[FILES];
    uint32_t count = 0;
    for (uint32_t i = first; i < FILES; i++) {
        if (cli_thumbs_find(thumbs, i)) continue;
        requests[count++] = (cli_thumb_request){ i, generation, 32, { .name = paths[i], .path = paths[i] } };
    }
    cli_thumbs_ask(thumbs, requests, count);
}

static void thumbnails_come_from_a_thread(void **state)
{
    (void)state;
    static cli_session session;
    static cli_args args;
    static cli_thumbs thumbs;
    sn_error error;
    assert_int_equal(cli_session_open(&session, &args), 0);
    sn_renderer *renderer = sn_renderer_create(NULL, &error);  // NULL: no driver
    thumbs.session = &session;
    thumbs.wake = wake;

    // Every file gets a picture or an error, though the list is asked for again and again.
    uint32_t found = 0;
    for (int tries = 0; tries < 12000 && found < FILES; tries++) {
        if (tries % 3 == 0) ask(&thumbs, 0, 1);
        cli_thumbs_collect(&thumbs, renderer, 1);
        wait_a_little();
        found = 0;
        for (uint32_t i = 0; i < FILES; i++) found += cli_thumbs_find(&thumbs, i) != NULL;
    }
    assert_int_equal(found, FILES);
    assert_true(atomic_load(&woken) >= FILES);
    const cli_thumb *missing = cli_thumbs_find(&thumbs, 3);
    assert_true(!missing->image && missing->error[0]);
    for (uint32_t i = 0; i < 3 && renderer; i++) assert_string_equal(cli_thumbs_find(&thumbs, i)->error, "");

    // Stopped in the middle of its work, with results of an older list, and started again.
    for (uint32_t i = 0; i < 3; i++) {
        cli_thumbs_forget(&thumbs);
        ask(&thumbs, i, 2 + i);
        if (i > 0) wait_a_little();
        cli_thumbs_collect(&thumbs, renderer, 9);
        cli_thumbs_stop(&thumbs);
        assert_null(cli_thumbs_find(&thumbs, 0));
    }
    sn_renderer_free(renderer);
    cli_session_close(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(thumbnails_come_from_a_thread) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

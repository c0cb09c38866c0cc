// Sequences to clips: every drive gives each clip the tracks it has there.
#include <string.h>

#include "format/mdx/mdx_build.h"

enum { MOST_TRACKS = 1 << 22 };  // of all clips together, also those that turn out empty: bounds hostile files

static void emit_plain(mdx_clips *clips, const mdx_drive *drive)
{
    sn_track track = mdx_clip_slice(clips, drive->curve);
    if (track.key_count == 0 && drive->fallback)
        track = mdx_constant(clips->builder, drive->curve->width, drive->fallback);
    mdx_clip_push(clips, drive, &track);
}

mdx_drive *mdx_add_drive(mdx_builder *b, mdx_curve *curve, sn_target kind, int32_t target, sn_channel channel)
{
    mdx_drive *drive = curve ? sni_push(&b->load->scratch, &b->drives, mdx_drive) : NULL;
    if (!drive) return NULL;
    *drive = (mdx_drive){
        .emit = emit_plain, .curve = curve, .target_kind = (uint8_t)kind, .channel = (uint8_t)channel
    };
    drive->target = target;
    return drive;
}

bool mdx_drive_fallback(mdx_builder *b, mdx_drive *drive, const float *fallback, const float *rest, uint32_t width)
{
    bool differs = false;
    for (uint32_t i = 0; i < width; i++) differs = differs || fallback[i] != rest[i];
    if (!drive || !differs) return sni_load_ok(b->load);
    float *kept = sni_new_raw(&b->load->keep, float, width);
    if (!kept) return false;
    memcpy(kept, fallback, width * sizeof *kept);
    drive->fallback = kept;
    return true;
}

sn_track mdx_constant(const mdx_builder *b, uint32_t width, const float *value)
{
    return (sn_track){ .key_count = 1, .width = width, .times = b->zero, .values = value };
}

void mdx_clip_push(mdx_clips *clips, const mdx_drive *drive, const sn_track *track)
{
    sn_track *out = track->key_count ? sni_push(&clips->builder->load->scratch, &clips->tracks, sn_track) : NULL;
    if (!out) return;
    *out = *track;
    out->target_kind = drive->target_kind;
    out->channel = drive->channel;
    out->target = drive->target;
    out->sub = drive->sub;
}

static bool build_tracks(mdx_clips *clips, sn_clip *clip)
{
    mdx_builder *b = clips->builder;
    const mdx_drive *drives = b->drives.items;
    clips->tracks.count = 0;
    for (uint32_t i = 0; i < b->drives.count && sni_load_ok(b->load); i++) drives[i].emit(clips, &drives[i]);
    sn_track *tracks = sni_load_ok(b->load) ? sni_new_raw(&b->load->keep, sn_track, clips->tracks.count) : NULL;
    if (!tracks) return false;
    if (clips->tracks.count > 0) memcpy(tracks, clips->tracks.items, clips->tracks.count * sizeof *tracks);
    clip->tracks = tracks;
    clip->track_count = clips->tracks.count;
    clip->duration = clips->duration;
    return true;
}

// Intervals that end before they start show one frame, like those of no length.
static bool build_sequence(mdx_clips *clips, const mdx_sequence *sequence, sn_clip *clip)
{
    mdx_builder *b = clips->builder;
    clips->start = sequence->start;
    clips->end = sequence->end;
    if (sequence->end < sequence->start || (b->load->lint && sequence->end == sequence->start)) {
        sni_warn(&b->load->diag, SNI_WARN_MDX_SEQUENCE, sequence->item.offset, "it runs from %u to %u", sequence->start,
                 sequence->end);
        clips->end = clips->start;
    }
    clips->duration = (float)((double)(clips->end - clips->start) / 1000.0);
    clip->name = mdx_text(b, sequence->name, sequence->item.offset);
    clip->extras = mdx_sequence_extras(b, sequence);
    clip->loops = !(sequence->flags & MDX_SEQUENCE_STOPS);
    return build_tracks(clips, clip);
}

// A model that moves by global sequences alone still moves: one clip, as long as the longest of them.
static bool build_idle(mdx_clips *clips, sn_clip *clip)
{
    const mdx_drive *drives = clips->builder->drives.items;
    for (uint32_t i = 0; i < clips->builder->drives.count; i++) {
        const mdx_curve *curve = drives[i].curve;
        if (curve && curve->period > clips->duration) clips->duration = curve->period;
    }
    clips->end = -1;  // no key lies in it but those on a clock of their own
    *clip = (sn_clip){ .name = "Global", .loops = true };
    return build_tracks(clips, clip);
}

static bool has_period(const mdx_builder *b)
{
    const mdx_drive *drives = b->drives.items;
    for (uint32_t i = 0; i < b->drives.count; i++)
        if (drives[i].curve && drives[i].curve->is_global) return true;
    return false;
}

bool mdx_build_clips(mdx_builder *b)
{
    uint32_t count = b->doc->sequences.count;
    const mdx_sequence *sequences = b->doc->sequences.items;
    bool is_idle = count == 0 && has_period(b);
    sn_clip *clips = sni_new(&b->load->keep, sn_clip, is_idle ? 1 : count);
    mdx_clips built = { .builder = b, .number = 1 };
    if (!clips) return false;
    if (b->drives.count > 0 && count > MOST_TRACKS / b->drives.count)
        return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%u tracks in %u sequences", b->drives.count, count);
    b->model->clips = clips;
    b->model->clip_count = is_idle ? 1 : count;
    if (is_idle) return build_idle(&built, clips);
    for (uint32_t i = 0; i < count; i++) {
        built.number = i + 1;
        sni_enter(&b->load->diag, "SEQS", i);
        bool is_built = build_sequence(&built, &sequences[i], &clips[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    return true;
}

// Model to file: the opposite of w3d_build.h. The model was fitted: Z is up, nodes rest rotated but unscaled where they
// are bound, one skin binds all parts, clips have a key per frame (convert/rigid_clips.h).
#ifndef W3D_EXPORT_H
#define W3D_EXPORT_H

#include "base/map.h"
#include "format/format.h"
#include "format/w3d/w3d_doc.h"

enum { W3D_NAME_LENGTH = W3D_NAME_BYTES - 1, W3D_LONG_NAME_LENGTH = W3D_LONG_NAME_BYTES - 1 };

typedef struct w3d_out_pivot {
    const char *name;
    int32_t parent, node;  // node: -1 for the root and for places of parts
    sn_trs base;
} w3d_out_pivot;

// Where a part goes.
typedef struct w3d_out_part {
    bool is_skin, is_hidden;
    bool has_own_pivot;      // because its visibility is not that of others on the same node
    uint32_t geometry_type;  // W3D_GEOMETRY_..., or 0
    int32_t node;            // that all of its vertices follow, or -1
    uint32_t pivot;          // 0 for skins
    uint64_t signature;      // of its visibility and alpha in all clips; 0: it always shows
} w3d_out_part;

// An object of the HLOD. Level 0 is the finest; -1: in all.
typedef struct w3d_out_object {
    const char *name;
    uint32_t pivot;
    int32_t lod;
} w3d_out_object;

// Names of textures, what passes of materials stored, and what was lost of them (w3d_export_materials.c).
typedef struct w3d_out_materials w3d_out_materials;

typedef struct w3d_exporter {
    sni_save *save;
    sni_arena *arena;  // of the save
    const sn_model *model;
    bool is_bfme;
    const char *container, *hierarchy;
    uint64_t cut_names, changed_names;

    w3d_out_pivot *pivots;
    uint32_t pivot_count;
    int32_t *pivot_of;    // per node: its pivot, or that of the nearest node above that has one
    w3d_out_part *parts;  // per part of the model
    w3d_out_materials *materials;
    sni_nocase_names object_names;  // of meshes, boxes, nulls and dazzles
    sni_list objects;               // w3d_out_object: those, and the ones of other files
} w3d_exporter;

// w3d_export.c
const char *w3d_unique_name(w3d_exporter *x, sni_nocase_names *used, const char *name, const char *fallback,
                            uint32_t index);  // at most 15 bytes, unlike those before; NULL: out of memory
const char *w3d_object_name(w3d_exporter *x, const char *name);  // "CONTAINER.NAME"; NULL: out of memory
bool w3d_add_object(w3d_exporter *x, sni_list *list, const char *name, uint32_t pivot, int32_t lod);

// The format's descriptor: what it holds, and saving a model that fits.
void w3d_fit(sni_save *save, const sn_model *model, sni_holds *holds);
bool w3d_save(sni_save *save, const sn_model *model);

// w3d_export_nodes.c
bool w3d_plan_pivots(w3d_exporter *x);  // pivots, and where parts go
void w3d_export_hierarchy(w3d_exporter *x, w3d_tree *tree);
bool w3d_export_objects(w3d_exporter *x, w3d_tree *tree);            // boxes, nulls, dazzles, lights; then the HLOD
uint32_t w3d_stored_collision(w3d_exporter *x, const char *extras);  // the attributes that the importer spelled out

// w3d_export_mesh.c
bool w3d_export_meshes(w3d_exporter *x, w3d_tree *tree);

// w3d_export_materials.c
bool w3d_export_textures(w3d_exporter *x);  // names and writes images, reads the stored passes of materials
bool w3d_export_material(w3d_exporter *x, w3d_tree *tree, const sn_part *part, const sn_mesh *mesh,
                         const uint32_t *vertices, uint32_t vertex_count);
bool w3d_part_is_two_sided(const w3d_exporter *x, const sn_part *part);
void w3d_report_materials(const w3d_exporter *x);  // what was lost

// w3d_export_clips.c
bool w3d_export_clip(w3d_exporter *x, w3d_tree *tree, uint32_t clip, const char *name);

#endif

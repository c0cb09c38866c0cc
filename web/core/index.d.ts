export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;
export type Files = Record<string, Bytes> | Map<string, Bytes>;
export type Game = 'auto' | 'war3' | 'reforged' | 'generals' | 'bfme' | 'dark-cloud' | 'dark-cloud-2';

/** Why a file cannot be loaded, decoded or saved. */
export class SinewError extends Error {
    status: 'io' | 'format' | 'truncated' | 'corrupt' | 'unsupported' | 'limit' | 'memory' | 'cancelled' | 'invalid' | 'lossy';
    /** Where in the file: the part, and the byte. */
    path: string;
    offset: number;
    /** From 1, in text files; else 0. */
    line: number;
    column: number;
}

export interface Warning {
    code: number;
    name: string;
    level: 'note' | 'warning';
    count: number;
    offset: number;
    line?: number;
    column?: number;
    path: string;
    message: string;
}

export interface LoadOptions {
    /** The file's name; its extension decides where several formats match. */
    name?: string;
    /** Other files that the model refers to, by name: textures, skeletons, animations. */
    files?: Files;
    /** The player whose colour Warcraft III textures show. */
    team?: number;
    /** Compute missing tangents where a normal map needs them. */
    tangents?: boolean;
    /** Interpolate across the loop seam instead of reproducing the game's pop. */
    continuous?: boolean;
    /** Also warn about harmless violations of the format's rules. */
    lint?: boolean;
    /** Keep the parsed file, for saving in the same format. */
    keepDocument?: boolean;
    /** W3D: animations in `files` become clips. Default: true. */
    folderClips?: boolean;
}

export interface ConvertOptions extends LoadOptions { game?: Game }
export interface OutputFile { name: string; data: Uint8Array }
export interface Converted { files: OutputFile[]; losses: Warning[] }
export interface Pixels { width: number; height: number; rgba: Uint8ClampedArray }

export interface Clip { name: string; duration: number; loops: boolean; track_count: number }
export interface MeshInfo {
    name: string; vertex_count: number; triangle_count: number; topology: 'triangles' | 'lines' | 'points'; index_count: number;
    has_normals: boolean; has_tangents: boolean; uv_count: number; color_count: number; influence_count: number; morph_count: number;
    nodes: string[];
}
export interface ImageInfo { name: string; uri: string; mime_type: string; bytes: number; is_found: boolean; width: number; height: number }
export interface Layer { blend: string; alpha_cutoff: number; flags: string[]; maps: { map: string; image: number }[] }

/** docs/json.md describes it: sinew.info/2, and what a viewer needs besides. */
export interface Info {
    schema: string; file: string; format: 'gltf' | 'mdx' | 'w3d' | 'level5'; name: string; up_axis: 'y' | 'z'; hash: string;
    node_count: number; mesh_count: number; part_count: number; vertex_count: number; triangle_count: number; skin_count: number;
    material_count: number; image_count: number; scene_count: number; camera_count: number; light_count: number; lod_count: number;
    clip_count: number; undrawn_effect_count: number; empty?: string;
    clips: Clip[];
    bounds: { min: number[]; max: number[]; center: number[]; radius: number };
    warnings: Warning[];
    meshes: MeshInfo[];
    materials: { name: string; layer_count: number; images: string[] }[];
    skins: { name: string; joint_count: number; nodes: string[] }[];
    scenes: { name: string; is_default: boolean; roots: string[] }[];
    images: ImageInfo[];
    extras?: unknown;
    default_clip: number;
    nodes: { name: string; parent: number; flags: number }[];
    parts: { mesh: number; node: number; skin: number; material: number; lod: number }[];
    surfaces: { name: string; layers: Layer[] }[];
}

export interface MeshArrays {
    positions: Float32Array;
    normals: Float32Array | null;
    uvs: Float32Array | null;
    indices: Uint32Array;
    /** influence_count for each vertex: indices into `Model.joints(skin)`. */
    joints: Uint16Array | null;
    weights: Float32Array | null;
}

export class Model {
    readonly info: Info;
    findClip(name: string): number;
    findNode(name: string): number;
    /** Returns the world matrices of all nodes: 12 numbers each, three rows of four. Clip -1 is the rest pose. */
    pose(clip?: number, seconds?: number, options?: { clock?: number; lod?: number }): Float32Array;
    palette(skin: number): Float32Array;
    isVisible(part: number): boolean;
    skin(part: number): { positions: Float32Array; normals: Float32Array | null };
    mesh(index: number): MeshArrays;
    joints(skin: number): Int32Array;
    image(index: number): Pixels;
    /** 'glb', 'gltf', 'mdx', 'mdl', 'w3d', 'mds', 'chr'... The first file is the model. */
    convert(extension: string, options?: { game?: Game }): Converted;
    /** Frees the model's memory; it cannot be used afterwards. */
    free(): void;
}

export interface Archive {
    info: { title: string; detail: string; partner: string; damaged_count: number; files: { name: string; bytes: number; is_model: boolean }[] };
    read(name: string): Uint8Array;
    load(name: string, options?: LoadOptions): Model;
    close(): void;
}

export class Sinew {
    readonly version: string;
    readonly formats: {
        models: { name: string; title: string; extensions: string; is_saved: boolean }[];
        archives: { title: string; extensions: string }[];
        images: { title: string; extensions: string }[];
        warnings: { code: number; name: string; meaning: string; advice: string; is_note: boolean }[];
    };
    load(bytes: Bytes, options?: LoadOptions): Model;
    /** What `sinew convert` does, byte for byte. */
    convert(bytes: Bytes, extension: string, options?: ConvertOptions): Converted;
    openArchive(bytes: Bytes, options?: { name?: string; files?: Files }): Archive;
}

/** Compiles the module. `wasm`: its bytes, where the program has them already. */
export function open(options?: { wasm?: Bytes }): Promise<Sinew>;

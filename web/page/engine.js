// The worker. A request that takes too long, or an error that is not the library's, ends it; the next request starts another.

async function unpack(id) {
    const text = atob($(id).textContent), bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}

const engine = {
    worker: null, ready: null, waiting: new Map(), count: 0, source: null, module: null, restarts: 0,

    async start() {
        this.source ??= URL.createObjectURL(new Blob([await unpack('worker-source')], { type: 'text/javascript' }));
        this.module ??= await unpack('module-bytes');
        const worker = this.worker = new Worker(this.source);
        worker.onmessage = ({ data }) => this.receive(worker, data);
        worker.onerror = (event) => {
            event.preventDefault();
            this.stop(worker, event.message || 'the worker stopped');
        };
        const { formats, version } = await this.post('init', { wasm: this.module }, 60);
        state.formats = formats;
        state.version = version;
        for (const drop of state.drops) await this.post('mount', drop, 300);
    },

    post(op, values, seconds) {
        return new Promise((resolve, reject) => {
            const id = ++this.count, worker = this.worker;
            const timer = setTimeout(() => this.stop(worker, `it takes more than ${seconds} seconds`), seconds * 1000);
            this.waiting.set(id, { resolve, reject, timer });
            worker.postMessage({ id, op, ...values });
        });
    },

    async request(op, values = {}, seconds = 90) {
        this.ready ??= this.start();
        await this.ready;
        return this.post(op, values, seconds);
    },

    receive(worker, { id, result, error, lost }) {
        if (worker !== this.worker) return;
        if (lost) {
            this.stop(worker, 'the graphics card was reset');
            return;
        }
        const request = this.waiting.get(id);
        if (!request) return;
        this.waiting.delete(id);
        clearTimeout(request.timer);
        if (!error) request.resolve(result);
        else {
            request.reject(new Error(error.message));
            if (error.isFatal) this.stop(worker, error.message);
        }
    },

    // What waited has failed. A model that was shown is shown again by the next worker.
    stop(worker, reason) {
        if (worker !== this.worker) return;
        worker.terminate();
        this.worker = this.ready = null;
        this.restarts++;
        const waiting = [...this.waiting.values()];
        this.waiting.clear();
        for (const { reject, timer } of waiting) {
            clearTimeout(timer);
            reject(new Error(reason));
        }
        if (view.item) view.isLost = true;
    },

    // A new worker has none of the memory of the one before.
    reset() {
        if (this.worker) this.stop(this.worker, 'closed');
        this.request('warm').catch(() => {});
    },
};

import { workerProgram } from '@farhand/kit/worker-program'

const builder = new URL('../../build/worker-bundle.mjs', import.meta.url)

/**
 * The program of the thread that puts blobs together. Here it is made from its sources, once for a process; in the
 * built command this file is replaced by one that holds the text.
 */
export const workerSource = (): Promise<string> => workerProgram(builder)

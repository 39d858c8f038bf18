import { workerProgram } from '@farhand/kit/worker-program'

const builder = new URL('../../../build/worker-bundle.mjs', import.meta.url)

/**
 * The program of a thread that keeps a folder in sync. Here it is put together from its sources, once for a process; in the
 * built command this file is replaced by one that holds the text.
 */
export const workerSource = (): Promise<string> => workerProgram(builder)

import { workerProgram } from '@farhand/kit/worker-program'

const builder = new URL('../../build/worker-bundle.mjs', import.meta.url)

/**
 * The program of the thread that makes blobs from patches. It is bundled from its sources here; the build of the `farhand` command replaces
 * this file with one that contains the text.
 */
export const workerSource = (): Promise<string> => workerProgram(builder)

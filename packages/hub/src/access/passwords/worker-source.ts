import { workerProgram } from '@farhand/kit/worker-program'

const builder = new URL('../../../build/password-worker-bundle.mjs', import.meta.url)

/**
 * The program of the thread that hashes passwords. It is bundled from its sources here; the build of the `farhand` command replaces
 * this file with one that contains the text.
 */
export const workerSource = (): Promise<string> => workerProgram(builder)

let bundled: Promise<string> | null = null

/**
 * The program of the thread that puts blobs together. Here it is made from its sources, once for a process; in the
 * built command this file is replaced by one that holds the text.
 */
export function workerSource(): Promise<string> {
  bundled ??= bundle()
  return bundled
}

async function bundle(): Promise<string> {
  const builder = new URL('../../build/worker-bundle.mjs', import.meta.url)
  const { workerBundle } = (await import(builder.href)) as { workerBundle: () => Promise<string> }
  return await workerBundle()
}

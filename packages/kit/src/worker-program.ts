const built = new Map<string, Promise<string>>()

/** What the module at this address makes of the sources of a thread: one text to run, made once for a process. */
export function workerProgram(builder: URL): Promise<string> {
  const program = built.get(builder.href) ?? build(builder)
  built.set(builder.href, program)
  return program
}

async function build(builder: URL): Promise<string> {
  const { workerBundle } = (await import(builder.href)) as { workerBundle: () => Promise<string> }
  return await workerBundle()
}

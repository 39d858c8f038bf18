import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { farhand, type Started } from '../../farhand-under-test.ts'

export type Told = Record<string, unknown> & { event: string }

/** A `farhand link --json` in a process of its own. */
export type LinkProcess = Started & {
  folder: string
  /** Reads on until it tells something like this, and gives all that it told on the way. */
  until(wanted: (told: Told) => boolean): Promise<Told[]>
}

export type HubFor = { url: string; token: string }

/** Starts a link. Each has a state folder of its own unless it is given one, as if on another machine. */
export function startLink(folder: string, hub: HubFor, ...words: string[]): LinkProcess {
  const started = farhand('link', folder, '--hub', hub.url, '--token', hub.token, '--json', ...words)
  const until = async (wanted: (told: Told) => boolean) => {
    const all: Told[] = []
    for (;;) {
      const told = JSON.parse(await started.line()) as Told
      all.push(told)
      if (wanted(told)) return all
    }
  }
  return { ...started, folder, until }
}

export const inStep = (told: Told) => told.event === 'in-step'
export const about = (event: string, file: string) => (told: Told) =>
  told.event === event && told.path === file

/** Everything in a folder that is synced, by path. */
export async function filesIn(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const found of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(found.parentPath, found.name)
    const name = path.relative(folder, file)
    if (name.startsWith('.farhand') || name.startsWith('.git')) continue
    if (found.isSymbolicLink()) files[name] = `-> ${await readlink(file)}`
    else if (found.isFile()) files[name] = await readFile(file, 'utf8')
  }
  return files
}

/** Reads on until it has applied all of these, in any order, and is in step after that. */
export async function untilApplied(link: LinkProcess, ...files: string[]): Promise<Told[]> {
  const open = new Set<unknown>(files)
  const told = await link.until(
    ({ event, path }) => event === 'applied' && open.delete(path) && open.size === 0,
  )
  return [...told, ...(await link.until(inStep))]
}

export async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

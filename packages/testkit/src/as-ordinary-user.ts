import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A user of this process alone: the kernel's limit on processes counts all of a user's processes together. */
const ordinary = 20_000 + (process.pid % 40_000)

/**
 * Calls an exported function with a folder, in a process of an ordinary system user; only root can do that. The sources are
 * bundled into one file there: an ordinary user cannot read a clone in root's home.
 */
export async function asOrdinaryUser<Result>(file: URL, name: string, folder: string): Promise<Result> {
  const script = path.join(folder, 'as-ordinary-user.mjs')
  await build({
    stdin: {
      contents: `
        import { ${name} } from ${JSON.stringify(fileURLToPath(file))}
        // Waiting for the end of a sandbox does not keep this process alive, as it does not keep a hub alive.
        const here = setInterval(() => {}, 1000)
        console.log(JSON.stringify(await ${name}(${JSON.stringify(folder)})))
        clearInterval(here)`,
      resolveDir: path.dirname(fileURLToPath(file)),
    },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  chownSync(folder, ordinary, ordinary)
  const child = spawn(process.execPath, [script], {
    uid: ordinary,
    gid: ordinary,
    cwd: folder,
    env: { TMPDIR: folder, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0)
    throw new Error(`the ordinary user's process ended with ${code ?? signal}, and said: ${said}`)
  return JSON.parse(said)
}

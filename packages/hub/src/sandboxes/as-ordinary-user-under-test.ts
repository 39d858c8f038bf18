import { spawn } from 'node:child_process'
import { chownSync } from 'node:fs'
import process from 'node:process'
import { text } from 'node:stream/consumers'

const ordinary = 65432

/** Calls an exported function with a folder, in a process of a user who may do nothing special; it takes root. */
export async function asOrdinaryUser<Result>(file: URL, name: string, folder: string): Promise<Result> {
  const script = `
    import { ${name} } from ${JSON.stringify(file.href)}
    // To wait for the end of a sandbox keeps no process here, as it keeps no hub.
    const here = setInterval(() => {}, 1000)
    console.log(JSON.stringify(await ${name}(${JSON.stringify(folder)})))
    clearInterval(here)`
  chownSync(folder, ordinary, ordinary)
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    uid: ordinary,
    gid: ordinary,
    env: { TMPDIR: folder, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await text(child.stdout))
}

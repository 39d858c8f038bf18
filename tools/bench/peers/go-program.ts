import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exists, runCommand } from './run-command.ts'

export type GoProgram = {
  name: string
  module: string
  version: string
  /** Of the module's own go.mod. With these in it, `go install <package>@<version>` refuses. */
  replace: string
  package: string
  tags: string
}

/** Where it was built, once; or why it could not be. */
export async function goProgram(
  cache: string,
  what: GoProgram,
  say: (text: string) => void,
): Promise<{ version: string; program: string } | { missing: string }> {
  const { name, module, version, replace, tags } = what
  const home = join(cache, 'peers', `${name}-${version}`)
  const program = join(home, name)
  if (!exists(program)) {
    if ((await runCommand('go', ['version'])).code !== 0) {
      return { missing: `not installed (with Go: ${module} ${version})` }
    }
    say(`building ${name} ${version} with Go (about a minute)`)
    mkdirSync(home, { recursive: true })
    const own = `module bench-peer\n\ngo 1.23.0\n\nrequire ${module} ${version}\n\nreplace ${replace}\n`
    writeFileSync(join(home, 'go.mod'), own)
    const flags = ['-mod=mod', '-buildvcs=false', '-tags', tags]
    const install = ['-C', home, 'install', ...flags, `${module}/${what.package}`]
    const { output } = await runCommand('env', [`GOBIN=${home}`, 'go', ...install])
    if (!exists(program)) return { missing: `building it with Go failed: ${output.slice(-200).trim()}` }
  }
  return { version: version.replace('v', ''), program }
}

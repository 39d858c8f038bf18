import { readdirSync } from 'node:fs'
import path from 'node:path'
import { ProcessSandboxHost } from './process-sandbox-host.ts'
import { shellSpec } from './shell-spec-under-test.ts'

/** Folders without permissions, and more of them nested than a path can name. */
const stubborn = `
mkdir -p shut/inner && touch shut/inner/file && chmod 555 shut/inner && chmod 000 shut
perl -e 'my $name = "d" x 200; for (1 .. 25) { mkdir $name; chdir $name }'`

/** Removes a sandbox in which a process made what is hard to remove; gives back what there was, and is left. */
export async function removeStubborn(root: string): Promise<{ made: string[]; left: string[] }> {
  const folder = path.join(root, 'sandboxes')
  const host = new ProcessSandboxHost({ folder, path: '/usr/bin:/bin' })
  const spec = shellSpec(root, () => stubborn)
  // A sandbox keeps no process from its end, and where nothing else is this would be over before it is.
  const stays = setInterval(() => {}, 1_000)
  await host.start(spec)
  await host.ended(spec.id)
  const made = readdirSync(path.join(folder, spec.id, 'workspace'))
  await host.remove(spec.id)
  clearInterval(stays)
  return { made, left: readdirSync(folder) }
}

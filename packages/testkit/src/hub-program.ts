import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * The command in one file, for tests that start it many times: loading it from its sources costs a second of
 * processor time, this a third of that. `remove` takes it away again.
 */
export async function buildHubProgram(): Promise<{ program: string[]; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-program-'))
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'package.json'), '{"type":"module","version":"0.0.0"}')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  const main = join(folder, 'src/main.js')
  await build({
    entryPoints: [join(root, 'packages/farhand/src/main.ts')],
    outfile: main,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [
      {
        name: 'libraries stay outside',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@farhand/') ? undefined : { path, external: true },
          )
        },
      },
    ],
  })
  return { program: [main], remove: () => rm(folder, { recursive: true, force: true }) }
}

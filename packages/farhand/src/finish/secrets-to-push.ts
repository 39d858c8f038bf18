import { secretName } from '@farhand/device/secret-scan/secret-name'
import { secretsIn } from '@farhand/device/secret-scan/secrets-in'
import { pathInWords } from '../path-in-words.ts'
import { Trouble } from '../trouble.ts'
import type { World } from '../world.ts'
import { addedText } from './added-text.ts'
import type { RunToFinish } from './run-to-finish.ts'

type Flags = { yes?: unknown; json?: unknown; dryRun?: unknown }

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const plain = ['--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']
const mostShown = 5
const mostBytes = 32 * 1024 * 1024

/** Asks before something is pushed that looks like a secret: at a remote it is everybody's, and stays in the history. */
export async function askAboutSecrets(
  { repository, base }: RunToFinish,
  { from, tree }: { from: string | null; tree: string },
  { yes, json, dryRun }: Flags,
  { ask, note, stop: signal }: World,
): Promise<void> {
  const ends = [from ?? base ?? emptyTree, tree]
  const names = (
    await repository.run(['diff-tree', '-r', '-z', '--name-only', '--diff-filter=d', ...ends], { signal })
  )
    .toString('utf8')
    .split('\0')
    .slice(0, -1)
  const patch = await repository.run(['diff-tree', '-r', '--patch', '--unified=0', ...plain, ...ends], {
    signal,
  })
  const added = addedText(patch.subarray(0, mostBytes).toString('utf8'))
  const found = names.flatMap((path) => {
    const kind = secretName(path) ?? secretsIn(path, added.get(path) ?? '')[0]?.kind
    return kind ? [`${pathInWords(path)} (${kind})`] : []
  })
  if (found.length === 0) return
  const more = found.length > mostShown ? `, and ${found.length - mostShown} more` : ''
  const says = `This looks like secrets: ${found.slice(0, mostShown).join(', ')}${more}.`
  if (yes || dryRun) return json ? undefined : note(`${says}\n`)
  const answer = json ? undefined : await ask?.(`${says} Push it all the same? [y/N] `, signal)
  if (answer && /^y(es)?$/i.test(answer.trim())) return
  const next = 'Nothing was pushed. Have it taken out, or --yes if it may be seen.'
  throw new Trouble(answer === undefined ? 'mustAsk' : 'failed', says, next)
}

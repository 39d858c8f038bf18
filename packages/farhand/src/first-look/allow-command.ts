import { lstatSync } from 'node:fs'
import path from 'node:path'
import { linkAround, pathInRun } from '@farhand/device/find-run/run-paths'
import { matchHeldBack } from '@farhand/device/first-look/match-held-back'
import { type Suspicious, suspiciousFiles } from '@farhand/device/first-look/suspicious-files'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { readWithheld, type WithheldWhy } from '@farhand/sync/disk/rules/withheld-files'
import { survey } from '@farhand/sync/disk/scan/survey'
import { readFirstLook, saveFirstLook } from '@farhand/sync/state/first-look-memory'
import { type Link, StateFolder } from '@farhand/sync/state/state-folder'
import { askYesNo } from '../choice/ask-key.ts'
import type { CommandContext } from '../context/command-context.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { suspicionsInWords } from './first-look-in-words.ts'

type Flags = { state?: unknown; json?: unknown; secrets?: unknown }

/**
 * Sends held-back files of a linked folder: all that are named, and of a named folder those that do not look like
 * secrets. Without a path it lists what is held back, and asks.
 */
export const allowCommand = (paths: readonly string[], flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const link = linkAround(state, context, paths[0])
    if (!link)
      throw new Trouble(
        'usage',
        `${path.resolve(context.cwd, paths[0] ?? '')} is in no linked folder.`,
        `\`${context.called.farhand} links\` lists those that are linked.`,
      )
    const place = state.placeOf(link.folder)
    const held = new Map([...readWithheld(place)].filter(([one]) => isThere(link.folder, one)))
    if (paths.length === 0) return await showAndAsk(link, held, place, flags, context)
    const named = paths.map((one) => pathInRun(one, link, context))
    const wanted = matchHeldBack(named, [...held.keys()])
    if (wanted.unknown.length > 0)
      throw new Trouble(
        'usage',
        `Not held back: ${wanted.unknown.map(pathInWords).join(', ')}.`,
        `\`${context.called.farhand} allow\` lists what is.`,
      )
    const suspicious = flags.secrets === 'send' ? [] : look(link.folder, wanted.inFolders)
    const keeps = new Set(suspicious.map(({ path: file }) => wholeFor(file, wanted.inFolders)))
    const allowed = [...wanted.exactly, ...wanted.inFolders.filter((one) => !keeps.has(one))]
    allow(place, allowed)
    if (flags.json)
      return context.out(`${JSON.stringify({ folder: link.folder, allowed, held: [...keeps] })}\n`)
    if (allowed.length > 0) context.out(`${count(allowed.length, 'path')} will be sent.\n`)
    if (keeps.size === 0) return
    context.note(`${suspicionsInWords(suspicious, context).join('\n')}\n`)
    throw new Trouble(
      'mustAsk',
      `Still held back: ${[...keeps].map(pathInWords).join(', ')}.`,
      'Name a file by itself to send it, or add --secrets send to send all of them.',
    )
  })

async function showAndAsk(
  link: Link,
  held: ReadonlyMap<string, WithheldWhy>,
  place: string,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  if (flags.json) {
    for (const [one, why] of held) context.out(`${JSON.stringify({ folder: link.folder, path: one, why })}\n`)
    return
  }
  if (held.size === 0) return context.out(`${link.folder} holds nothing back.\n`)
  context.out(`${link.folder} holds back, until you allow it:\n`)
  for (const [one, why] of held) context.out(`  ${pathInWords(one)}  ${words[why]}\n`)
  const suspicious = look(link.folder, [...held.keys()])
  if (suspicious.length > 0) context.out(`${suspicionsInWords(suspicious, context).join('\n')}\n`)
  if (!context.ask) return
  if (!(await askYesNo('Send all of them to the run? [y/N] ', context)))
    return context.out('They stay here.\n')
  allow(place, [...held.keys()])
  context.out(`${count(held.size, 'path')} will be sent.\n`)
}

const words: Record<WithheldWhy, string> = {
  'newly-included': 'a rule from the run includes it; it was left out before',
  'looks-secret': 'looks like a secret',
}

function allow(place: string, paths: readonly string[]): void {
  const before = readFirstLook(place)
  // A running link reads this within a second.
  saveFirstLook(place, { ...before, allowed: [...new Set([...before.allowed, ...paths])].sort() })
}

/** The held-back path of a file: the file itself, or its folder if that is held back as a whole. */
const wholeFor = (file: string, held: readonly string[]) =>
  held.find((one) => one === file || (one.endsWith('/') && file.startsWith(one))) ?? file

/** The held-back files that look like secrets. */
function look(root: string, held: readonly string[]): Suspicious[] {
  const single = held.filter((one) => !one.endsWith('/'))
  const files = single.map((one) => ({ path: one, size: sizeOf(path.join(root, one)) }))
  const whole = held.filter((one) => one.endsWith('/'))
  const inside =
    whole.length === 0
      ? []
      : survey(root, { maxFileBytes: Number.MAX_SAFE_INTEGER }).files.filter(({ path: file }) =>
          whole.some((folder) => file.startsWith(folder)),
        )
  const found = { files: [...files, ...inside], left: [], ignored: 0, isTracked: () => false }
  return suspiciousFiles(root, found).suspicious
}

const statsOf = (place: string) => lstatSync(place, { throwIfNoEntry: false })
const sizeOf = (place: string) => statsOf(place)?.size ?? 0
const isThere = (root: string, one: string) => statsOf(path.join(root, one)) !== undefined

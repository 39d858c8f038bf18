import { BackgroundLinks } from '@farhand/device/device-process/background-links'
import { count } from '@farhand/device/wording/count'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import type { LinkFlags } from '../link/keep-in-sync.ts'
import { startLink } from '../link/start-link.ts'

/** Whether the device process already keeps this folder in sync, so that nothing is left to do. */
export function isInBackground(folder: string, flags: LinkFlags, state: StateFolder): boolean {
  const folders = new BackgroundLinks(state)
  const isLive = folders.find(folder)?.is === 'live'
  return flags.run === undefined && isLive && folders.backgroundHolder(folder) !== null
}

/** Has the device process keep a folder in sync; resolves when folder and run are the same. */
export async function linkInBackground(
  { link, isNew }: { link: Link; isNew: boolean },
  flags: LinkFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<void> {
  const { folder, at, url, token } = link
  const started = startLink(
    { url, token, at, workspace: folder },
    { state, words: alwaysSaid(flags), once: saidOnce(flags) },
    context,
  )
  try {
    const { files } = await unlessStopped(context.stop, started.inStep)
    if (flags.json) {
      const told = { event: 'in-background', folder, hub: url, ...at, files }
      return context.out(`${JSON.stringify(told)}\n`)
    }
    context.out(`${folder} and ${runInWords(at.run)} are in step, ${count(files, 'file')}.\n`)
    if (isNew)
      context.out(`Elsewhere: ${context.called.farhand} link <folder> --run ${at.run} --hub ${url}\n`)
    explainBackgroundLink(folder, context)
  } catch (error) {
    if (context.stop.aborted) return context.note(`${folder} is kept in sync all the same.\n`)
    // The user reads the error now; `status` need not show it for ever.
    new BackgroundLinks(state).drop(folder)
    throw error
  }
}

/** Tells the user that a folder is kept in sync in the background, and which commands control that. */
export function explainBackgroundLink(folder: string, { called, out }: CommandContext): void {
  const name = shellWord(folder)
  out(
    `It is kept in sync in the background: \`${called.farhand} status\` shows how it is, ` +
      `\`${called.farhand} pause ${name}\` has it stop.\n`,
  )
}

function alwaysSaid({ mine, theirs, gone, head }: LinkFlags): string[] {
  return [
    ...(mine ? ['--mine'] : []),
    ...(theirs ? ['--theirs'] : []),
    ...(gone === undefined ? [] : ['--gone', String(gone)]),
    ...(head === undefined ? [] : ['--head', String(head)]),
  ]
}

const saidOnce = ({ reopen, maxFile }: LinkFlags) => [
  ...(reopen ? ['--reopen'] : []),
  ...(maxFile === undefined ? [] : ['--max-file', String(maxFile)]),
]

import { sep } from 'node:path'
import { folderInside, folderTaken } from '@farhand/device/linked-folders/lock-folder'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { Link } from '@farhand/sync/state/state-folder'
import type { ProcessContext } from '../../context/command-context.ts'

/** Whole commands about one folder, to be copied as they are; `anew` is for after `unlink`, which forgets the hub. */
export type Commands = { link: string; unlink: string; anew: string }

export function commandsFor(
  { folder, url }: Pick<Link, 'folder' | 'url'>,
  { state }: { state?: unknown },
  context: ProcessContext,
): Commands {
  const { farhand } = context.called
  // The device process always passes --state; hints show it only if it is not the default.
  const isUsual = stateFolderPath(state, context) === stateFolderPath(undefined, context)
  const words = `${shellWord(folder)}${isUsual ? '' : ` --state ${shellWord(String(state))}`}`
  const link = `${farhand} link ${words}`
  return { link, unlink: `${farhand} unlink ${words}`, anew: `${link} --hub ${url}` }
}

/** How the user has a background link of this folder stop. */
export const pauseAdvice = (folder: string, { called }: Pick<ProcessContext, 'called'>) =>
  `\`${called.farhand} pause ${shellWord(folder)}\` has that stop.`

/** What to do about a run that is closed. */
export const reopening = ({ link, unlink, anew }: Commands) =>
  `\`${link} --reopen\` opens it again and goes on. To begin another one:\n` +
  `\`${unlink}\`, then \`${anew} --run new\`.`

/** Trouble if a folder has changes that are not in its closed run, else null. */
export function closedTrouble(unsent: number | null, commands: Commands): Trouble | null {
  if (unsent === 0) return null
  const left =
    unsent === null
      ? 'It was not checked whether everything here is in it.'
      : `${count(unsent, 'change')} of this folder ${unsent === 1 ? 'is' : 'are'} not in it.`
  const trouble = new Trouble('runClosed', `The run is closed. ${left}`, reopening(commands))
  trouble.isTold = true
  return trouble
}

/** Trouble that names why a folder cannot be kept in sync any more, and what the user can do; null for unknown errors. */
export function stopTrouble(
  error: unknown,
  { folder, at, wins, memory }: Pick<Link, 'folder' | 'wins'> & { at: { run: string }; memory: string },
  { link, unlink, anew: linkAnew }: Commands,
): Trouble | null {
  const { why, message, name } = error as { why?: string; message?: string; name?: string }
  const again = `${linkAnew} --run ${at.run}${wins === 'log' ? ' --wins log' : ''}`
  const anew =
    `Let them meet anew: \`${unlink}\`, then \`${again}\` with --mine or\n` +
    '--theirs, which say whose file counts where both have one. The other version is kept.'
  if (why === 'root-missing' || why === 'root-replaced') {
    const next = `Put it back at ${folder} and link it again, or forget it with \`${unlink}\`.`
    return new Trouble('failed', `Stopped: ${message}.`, next, error)
  }
  if (why === 'other-log') {
    const says =
      "Stopped: the run's log is not the one this folder knew. The hub was put back to an older state, or is another one."
    return new Trouble('failed', says, `No file was changed on that account. ${anew}`, error)
  }
  if (name === 'FolderInUse') {
    const { pid = 0, folder: taken = folder } = error as { pid?: number; folder?: string }
    return taken === folder ? folderTaken(folder, pid) : folderInside(folder, taken, pid)
  }
  if (name === 'MemoryDamaged') {
    const { file } = error as { file?: string }
    return new Trouble('failed', `What was remembered of this folder is damaged (${file}).`, anew, error)
  }
  const { code, path } = error as { code?: string; path?: string }
  if (code === 'ENOENT' && path?.startsWith(`${memory}${sep}`)) {
    const says = `Stopped: what was remembered of this folder is gone (${memory}). Its files are as they were.`
    return new Trouble('failed', says, `\`${again}\` links it anew, and asks where the two differ.`, error)
  }
  const remedy = systemRemedy(error)
  if (!remedy) return null
  // The sync opens folders by file descriptors: such a path tells the user nothing.
  const isByNumber = message?.includes('/proc/self/fd/')
  return new Trouble(
    'failed',
    isByNumber ? `Stopped: the system says ${code} in ${folder}.` : `Stopped: the system says ${message}.`,
    `${remedy}; then \`${link}\` goes on.`,
    error,
  )
}

/** What the user can do about an error of the system; null for other errors. */
function systemRemedy(error: unknown): string | null {
  switch ((error as { code?: string }).code) {
    case 'EMFILE':
    case 'ENFILE':
      return '`ulimit -n 4096` lets more files be open'
    case 'EACCES':
    case 'EPERM':
      return 'Check who may read and write there'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Make room on that disk'
    case 'EROFS':
      return 'That disk is mounted read-only: let it be written again'
    case 'EIO':
      return 'Check that disk first'
    default:
      return null
  }
}

import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { FolderState, HubState, KnownHere } from '@farhand/device/known-here/known-here'
import { count } from '@farhand/device/wording/count'
import { lineInWords, pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { CommandContext } from '../../context/command-context.ts'
import { skipInShort } from '../../terminal/link-screen/note-in-words.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { firstLine } from '../../terminal/printing/shown-text.ts'

type Called = Pick<CommandContext, 'called' | 'color'>

/** The text of `farhand status`. */
export function knownHereInWords(
  { device, hubs, folders, runs }: KnownHere,
  now: number,
  context: Called,
): string {
  const { bold, dim, yellow } = paint(context.color)
  const { farhand } = context.called
  const lines: string[] = []
  const part = (title: string, all: readonly string[], none: string) => {
    lines.push(bold(title), ...(all.length > 0 ? all : [dim(none)]).map((line) => `  ${line}`))
  }
  part(
    'Hubs',
    hubs.map((hub) => hubLine(hub, farhand)),
    `none is known yet; \`${farhand} run\` starts one`,
  )
  part(
    'Device process',
    device ? [`process ${device.pid}, since ${timeOf(device.since, now)}, Farhand ${device.version}`] : [],
    'not needed: no folder is kept in sync in the background',
  )
  part(
    'Folders',
    folders.flatMap((one) => {
      const [how, ...more] = folderLines(one, now, farhand)
      const isBad = one.kept?.is === 'failed' || one.now?.doing.is === 'offline'
      const words = isBad ? yellow(how!) : how
      return [
        `${bold(lineInWords(one.folder))}  ${words}  ${dim(runInWords(one.at.run))}`,
        ...[...more, ...leftOutLines(one), ...skippedLines(one, context)].map((line) => `  ${line}`),
      ]
    }),
    'none is linked',
  )
  part(
    'Open runs',
    runs.map(({ id, title, agent, now }) => {
      const state = now ? (now.status === 'active' ? now.agentStatus : now.status) : 'unknown'
      const asks = now?.questions
        ? yellow(`  asks something: ${farhand} answer ${runInWords(id)} <answer>`)
        : ''
      return `${runInWords(id)}  ${state}  ${lineInWords(agent ?? '-')}  ${firstLine(title, 50)}${asks}`
    }),
    'none',
  )
  return `${lines.join('\n')}\n`
}

const mostLeftOut = 5

/** The paths of a folder that the user chose not to send. */
function leftOutLines({ leftOut = [] }: Pick<FolderState, 'leftOut'>): string[] {
  if (leftOut.length === 0) return []
  const rest = leftOut.length > mostLeftOut ? `, and ${leftOut.length - mostLeftOut} more` : ''
  return [`left out: ${leftOut.slice(0, mostLeftOut).map(pathInWords).join(', ')}${rest}`]
}

// The process that skipped a file is not told when it is deleted or renamed.
const isStillThere = (folder: string, name: string) =>
  lstatSync(path.join(folder, name), { throwIfNoEntry: false }) !== undefined

/** The files that are not synced although no rule excludes them, and how to send those that wait for consent. */
export function skippedLines(
  { folder, now }: Pick<FolderState, 'folder' | 'now'>,
  { called, color }: Called,
): string[] {
  const { yellow } = paint(color)
  const { count: total = 0, some = [] } = now?.skipped ?? {}
  const there = some.filter(({ path: name }) => isStillThere(folder, name))
  const held = there.filter(({ why }) => why === 'newly-included' || why === 'looks-secret')
  const others = there.filter((one) => !held.includes(one))
  const unnamed = total > some.length ? `, and ${total - some.length} more` : ''
  const line = (title: string, all: typeof there) =>
    `${title}: ${all
      .slice(0, mostLeftOut)
      .map(({ path: name, why }) => `${pathInWords(name)} (${skipInShort(why)})`)
      .join(', ')}${all.length > mostLeftOut ? `, and ${all.length - mostLeftOut} more` : ''}${unnamed}`
  return [
    ...(others.length > 0 ? [line('not synced', others)] : []),
    ...(held.length > 0
      ? [yellow(`${line('held back', held)}; \`${called.farhand} allow\` in that folder sends them`)]
      : []),
  ]
}

function hubLine({ url, isOwn, answer }: HubState, farhand: string): string {
  const name = isOwn ? `${url}, your own` : url
  if (answer === 'knows-us') return `${name}  answers`
  if (answer === 'knows-us-not') return `${name}  rejects your token: \`${farhand} login ${url}\``
  return `${name}  does not answer${isOwn ? `; \`${farhand} run\` starts it` : ''}`
}

/** The state of a folder, and the command that helps where one is needed. */
export function folderLines(
  { folder, pid, now, kept, deaths, isHosted, isSilent, isClosed }: Omit<FolderState, 'url' | 'at'>,
  at: number,
  farhand: string,
): string[] {
  const name = shellWord(folder)
  if (isHosted) return [`its agent works here (process ${pid})`]
  if (isSilent)
    return [`process ${pid} has it and does not answer; \`${farhand} pause ${name}\` ends that process`]
  if (pid !== null) {
    const where = now?.isKept === false ? `, in a terminal (process ${pid})` : ''
    return [`${doingInWords(now, at)}${where}`]
  }
  if (!kept && isClosed) return ['its run is closed']
  if (!kept) return [`not kept in sync now; \`${farhand} link ${name} --background\` does that`]
  if (kept.is === 'paused') return [`paused since ${timeOf(kept.since, at)}; \`${farhand} resume ${name}\``]
  if (kept.is === 'failed')
    return [
      `failed ${timeOf(kept.since, at)}: ${lineInWords(kept.message)}`,
      ...kept.nextStep.split('\n').map(lineInWords),
    ]
  if (deaths) {
    const seconds = Math.max(0, Math.ceil((deaths.nextAt - at) / 1000))
    return [`what keeps it in sync died ${count(deaths.count, 'time')}; started again in ${seconds} s`]
  }
  return ['being started']
}

function doingInWords(now: FolderState['now'], at: number): string {
  if (!now) return 'being started'
  const { doing, since } = now
  switch (doing.is) {
    case 'starting':
      return 'being started'
    case 'in-step':
      return `in step, ${count(doing.files, 'file')}`
    case 'offline':
      return `offline since ${timeOf(since, at)}: ${lineInWords(doing.why)}`
    case 'busy': {
      const parts = [
        ...(doing.toSend > 0 ? [`sending ${count(doing.toSend, 'change')}`] : []),
        ...(doing.toApply > 0 ? [`fetching ${count(doing.toApply, 'change')}`] : []),
      ]
      return parts.join(', ')
    }
  }
}

/** The time; with the date if that is not today. */
function timeOf(when: number, now: number): string {
  const time = new Date(when).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  const isToday = new Date(when).toDateString() === new Date(now).toDateString()
  return isToday ? time : `${new Date(when).toLocaleDateString('en-CA')} ${time}`
}

import { count } from '@farhand/device/wording/count'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import type { CommandContext } from '../../context/command-context.ts'
import { shareInWords, sizeInWords } from '../printing/file-size.ts'
import { paint } from '../printing/paint.ts'
import { ManyChanges } from './many-changes.ts'
import { noteAsJson } from './note-as-json.ts'
import { historyWords, type Names, noteInWords } from './note-in-words.ts'
import { skipsOnce } from './skips-once.ts'
import { TroublesOnce } from './troubles-once.ts'

/** Shows what happens to a linked folder. */
export interface LinkScreen {
  note(note: SyncNote): void
  /** A line of its own, for people. */
  say(line: string): void
  /** Hides the line at the bottom while the user is asked something. */
  whileAsking<Result>(ask: () => Promise<Result>): Promise<Result>
  /** Removes the line at the bottom, and writes what has not been written yet. */
  close(): void
}

const frameMs = 100
/** How often the progress of a large file is printed where lines cannot be overwritten. */
const bytesEveryMs = 5_000

/**
 * Prints one line of JSON for each note; `ready` is printed once, when folder and run are the same for the first time.
 */
export function jsonScreen(context: CommandContext, ready: Record<string, unknown>): LinkScreen {
  const lines = gathered(context.out)
  let isReady = false
  const mayShow = everySoOften(frameMs)
  return {
    note: skipsOnce((note) => {
      if (isFrame(note) && !mayShow()) return
      lines.add(JSON.stringify(noteAsJson(note, Date.now())))
      if (note.is !== 'in-step' || isReady) return
      isReady = true
      lines.add(JSON.stringify({ event: 'ready', ...ready, files: note.files, cursor: note.cursor }))
    }),
    say() {},
    whileAsking: (ask) => ask(),
    close: lines.flush,
  }
}

/**
 * Prints text: the progress until folder and run are the same for the first time, then a line for each change. On a terminal
 * the line at the bottom always shows the current state.
 */
export function textScreen(context: CommandContext, names: Names, repaintMs = frameMs): LinkScreen {
  const colors = paint(context.color)
  const lines = gathered((text) => {
    hide()
    context.out(text)
    show()
  })
  const many = new ManyChanges(lines.add, (change) => noteInWords(change, names, colors) ?? '')
  // Counted separately: a burst of other changes must not use up their lines.
  const inWords = (change: SyncNote) => noteInWords(change, names, colors) ?? ''
  const gaveWay = new ManyChanges(lines.add, inWords, historyWords(names))
  const troubles = new TroublesOnce(names.folder ?? 'this folder', (line) => lines.add(colors.yellow(line)))
  /** How many changes were not in the run yet at the last note. */
  let waiting = 0
  let isSettled = false
  let status = ''
  /** The status before the connection was interrupted. */
  let interrupted = ''
  /** The text of the bottom line; null if it is hidden. */
  let shown: string | null = null
  let paintedAt = Number.NEGATIVE_INFINITY
  let later: NodeJS.Timeout | null = null
  const before = { sent: 0, applied: 0, kept: 0 }
  /** Counted, because a new question may begin before the withdrawn one has ended. */
  let asking = 0
  let connection: Extract<SyncNote, { is: 'connection' }>['state'] = { is: 'connecting' }
  let offlineSince: Date | null = null
  const mayTellBytes = everySoOften(bytesEveryMs)

  const hide = () => {
    if (shown !== null) context.note('\r\x1b[K')
    shown = null
  }
  const show = () => {
    if (!context.terminal || asking > 0) return
    const text = offlineSince ? offlineWords() : connection.is === 'offline' ? waitingWords() : status
    if (text === '' || text === shown) return
    const waitMs = paintedAt + repaintMs - performance.now()
    if (waitMs > 0) {
      later ??= setTimeout(paintLater, waitMs).unref()
      return
    }
    paintedAt = performance.now()
    context.note(`\r\x1b[K${colors.dim(text)}`)
    shown = text
  }
  const paintLater = () => {
    later = null
    show()
  }
  const nextTry = () => {
    const retryAt = connection.is === 'offline' ? connection.retryAt : null
    if (retryAt === null) return ''
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))
    return seconds === 0 ? ', trying again now' : `, trying again in ${seconds} s`
  }
  const offlineWords = () => {
    const kept = waiting === 0 ? 'changes' : count(waiting, 'change')
    return `offline since ${offlineSince!.toLocaleTimeString()}${nextTry()}; ${kept} here ${waiting === 1 ? 'is' : 'are'} kept for later`
  }
  const waitingWords = () => `connected; what could not be sent or fetched waits${nextTry()}`
  const clock = context.terminal
    ? setInterval(() => connection.is === 'offline' && show(), 1000).unref()
    : null
  const follow = (state: typeof connection) => {
    const was = connection
    connection = state
    const isThere = state.is === 'live' || (state.is === 'offline' && state.listening === true)
    if (state.is === 'offline' && !isThere && !offlineSince) {
      offlineSince = new Date()
      lines.add(colors.yellow(`! offline: ${lineInWords(state.why)}`))
    }
    if (isThere) {
      if (offlineSince) lines.add('connected again')
      offlineSince = null
    }
    if (state.is === 'connecting' && was.is !== 'connecting' && !offlineSince && status !== 'connecting') {
      interrupted = status
      status = 'connecting'
    }
    if (isThere && status === 'connecting') status = interrupted
  }

  return {
    note: skipsOnce((note) => {
      if (troubles.take(note)) return
      if (note.is === 'connection') follow(note.state)
      const isChange = note.is === 'sent' || note.is === 'applied'
      const isGivingWay = note.is === 'conflict' || note.is === 'kept'
      if (isGivingWay) gaveWay.add(note)
      const line = isChange || isGivingWay ? null : noteInWords(note, names, colors)
      if (isChange) {
        if (isSettled) many.add(note)
      } else if (line !== null) lines.add(line)
      if (!isSettled && (isChange || note.is === 'kept')) before[note.is] += 1
      const bottom = bottomLine(note)
      if (bottom !== null) status = bottom
      if (note.is === 'progress') waiting = note.toSend
      if (note.is === 'in-step') {
        waiting = 0
        many.tell()
        gaveWay.tell()
      }
      if (note.is === 'in-step' && !isSettled) {
        isSettled = true
        const meanwhile = meanwhileInWords(before)
        if (meanwhile !== '') lines.add(meanwhile)
        if (!context.terminal) lines.add(status)
      } else if (!context.terminal && isFrame(note)) {
        if (isLarge(note) ? mayTellBytes() : !isSettled && isRound(note)) lines.add(status)
      }
      show()
    }),
    say: (line) => lines.add(line),
    async whileAsking(ask) {
      asking += 1
      lines.flush()
      hide()
      try {
        const answer = await ask()
        asking -= 1
        return answer
      } catch (error) {
        asking -= 1
        // The user has not ended the line of the question: it must not look as if it were still asked.
        if (context.terminal && asking === 0) context.note('\r\x1b[K')
        show()
        throw error
      }
    },
    close() {
      if (clock) clearInterval(clock)
      if (later) clearTimeout(later)
      status = ''
      connection = { is: 'live' }
      offlineSince = null
      troubles.tell()
      many.tell()
      gaveWay.tell()
      lines.flush()
      hide()
    },
  }
}

function bottomLine(note: SyncNote): string | null {
  if (note.is === 'scanning') {
    const found = `${count(note.files, 'file')}, ${sizeInWords(note.bytes)}`
    return note.done ? `found ${found}` : `looking: ${found} so far`
  }
  if (note.is === 'progress') {
    const { toSend, sent, toApply, applied, up, down } = note
    const parts = [howFar('→', sent, toSend, up), howFar('←', applied, toApply, down)]
    return parts.filter((part) => part !== '').join('   ')
  }
  if (note.is !== 'in-step') return null
  const waiting = note.waiting > 0 ? `; ${note.waiting.toLocaleString('en')} cannot be written yet` : ''
  const onlyHere = note.onlyHere > 0 ? `, ${note.onlyHere.toLocaleString('en')} only here` : ''
  const leftOut = note.leftOut > 0 ? `, ${note.leftOut.toLocaleString('en')} left out` : ''
  return `in step: ${count(note.files, 'file')}${leftOut}${onlyHere}${waiting}`
}

function howFar(arrow: string, done: number, left: number, large: { bytes: number; of: number } | undefined) {
  if (done + left === 0) return ''
  const bytes = large ? `, ${shareInWords(large.bytes, large.of)}` : ''
  return `${arrow} ${done.toLocaleString('en')} of ${count(done + left, 'file')}${bytes}`
}

/** What was done before folder and run were the same for the first time, in numbers. */
function meanwhileInWords({ sent, applied, kept }: Record<'sent' | 'applied' | 'kept', number>): string {
  const parts = [
    sent > 0 ? `sent ${sent.toLocaleString('en')}` : '',
    applied > 0 ? `took in ${applied.toLocaleString('en')}` : '',
    kept > 0 ? `${kept.toLocaleString('en')} kept` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

const isFrame = (note: SyncNote) => note.is === 'progress' || (note.is === 'scanning' && !note.done)
// Where lines cannot be overwritten, only every 5,000th file is worth one.
const isRound = (note: SyncNote) => {
  const done = note.is === 'progress' ? note.sent + note.applied : 0
  return done > 0 && done % 5000 === 0
}

const isLarge = (note: SyncNote) => note.is === 'progress' && (note.up ?? note.down) !== undefined

function everySoOften(everyMs: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - last < everyMs) return false
    last = now
    return true
  }
}

// Thousands of files arrive at once, and one write for each would block on a pipe.
function gathered(write: (text: string) => void) {
  let text = ''
  let waiting: NodeJS.Immediate | null = null
  const flush = () => {
    if (waiting) clearImmediate(waiting)
    waiting = null
    const now = text
    text = ''
    if (now !== '') write(now)
  }
  return {
    add(line: string) {
      text += `${line}\n`
      waiting ??= setImmediate(flush)
    },
    flush,
  }
}

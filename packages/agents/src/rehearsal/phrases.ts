import type { Filling, Step } from './step.ts'
import { asAction } from './step.ts'

type Said = Readonly<Record<string, string | undefined>>

/** A kind of sentence, and the step it means. */
export type Phrase = {
  /** Its first word, which is also a command's name. */
  name: string
  says: string
  example: string
  reads: RegExp
  /** Null if it matches and yet is not such a sentence. */
  means(said: Said, stepOf: (sentence: string) => Step): Step | null
}

const path = (name: string) => String.raw`(?<${name}>"[^"]+"|\`[^\`]+\`|\S+)`
const time = String.raw`(?<amount>\d+(?:\.\d+)?) ?(?<unit>ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)`
const like = (...parts: string[]) => new RegExp(`^${parts.join('')}$`, 'is')

/** All sentences that the rehearsal understands; the first match counts. */
export const phrases: readonly Phrase[] = [
  {
    name: 'help',
    says: 'lists what can be said',
    example: 'help',
    reads: /^(?:help|\?|what can you do\??)$/i,
    means: () => ({ do: 'help' }),
  },
  {
    name: 'write',
    says: 'writes a file: with a text, with <n> lines, with <n> KB, or with a block of code below',
    example: 'write notes/today.md with "two\\nlines"',
    reads: like(
      '(?:write|create)(?: (?:an? |the )?file(?: called| named)?)? ',
      path('path'),
      '(?: with:? (?<filling>.+))?',
    ),
    means: (said) => ({ do: 'write', path: named(said.path), filling: fillingOf(said.filling) }),
  },
  {
    name: 'append',
    says: 'adds a line to the end of a file',
    example: 'append one more line to notes/today.md',
    reads: like('append (?<text>.+) to ', path('path')),
    means: (said) => ({ do: 'append', text: quoted(said.text), path: named(said.path) }),
  },
  {
    name: 'delete',
    says: 'deletes a file',
    example: 'delete notes/today.md',
    reads: like('(?:delete|remove) ', path('path')),
    means: (said) => ({ do: 'delete', path: named(said.path) }),
  },
  {
    name: 'rename',
    says: 'gives a file another name',
    example: 'rename draft.md to final.md',
    reads: like('(?:rename|move) ', path('from'), ' to ', path('to')),
    means: (said) => ({ do: 'rename', from: named(said.from), to: named(said.to) }),
  },
  {
    name: 'read',
    says: 'reads a file and shows it',
    example: 'read package.json',
    reads: like('(?:read|show) ', path('path')),
    means: (said) => ({ do: 'read', path: named(said.path) }),
  },
  {
    name: 'run',
    says: 'runs a shell command and shows what it prints',
    example: 'run `ls -a | head -3`',
    reads: /^(?:run|execute) (?<command>.+)$/is,
    means: (said) => ({ do: 'run', command: quoted(said.command) }),
  },
  {
    name: 'think',
    says: 'thinks aloud for a while',
    example: 'think for 3 seconds',
    reads: like('think(?: for)? ', time),
    means: (said) => ({ do: 'think', ms: msOf(said) }),
  },
  {
    name: 'say',
    says: 'says something in many pieces',
    example: 'say 500 chunks of 80 bytes at 100 a second',
    reads: like(
      String.raw`say (?<chunks>\d+) chunks?(?: of (?<bytes>\d+) bytes?)?`,
      String.raw`(?: at (?<pace>\d+(?:\.\d+)?) (?:a|per) second)?`,
    ),
    means: (said) => ({
      do: 'say-chunks',
      chunks: Number(said.chunks),
      bytes: Number(said.bytes ?? 0),
      perSecond: said.pace === undefined ? null : Number(said.pace),
    }),
  },
  {
    name: 'say',
    says: 'says so much at once',
    example: 'say 300 KB',
    reads: /^say (?<amount>\d+) ?(?<unit>KB|MB|bytes)$/i,
    means: (said) => ({
      do: 'say-chunks',
      chunks: 1,
      bytes: Number(said.amount) * bytesIn(said.unit),
      perSecond: null,
    }),
  },
  {
    name: 'say',
    says: 'says something',
    example: 'say Good morning',
    reads: /^say:? (?<text>.+)$/is,
    means: (said) => ({ do: 'say', text: quoted(said.text) }),
  },
  {
    name: 'plan',
    says: 'shows a plan; each sentence after it is one entry done',
    example: 'plan: look around; write the file; run the tests',
    reads: /^plan:? (?<entries>.+)$/is,
    means: (said) => ({ do: 'plan', entries: listOf(said.entries, /;/) }),
  },
  {
    name: 'ask',
    says: 'asks for permission, then does it or does not; so does every change in the mode `careful`',
    example: 'ask permission to run npm test',
    reads: /^ask (?:for )?permission to (?<sentence>.+)$/is,
    means: (said, stepOf) => {
      const action = asAction(stepOf(said.sentence ?? ''))
      return action && { do: 'ask-permission', action }
    },
  },
  {
    name: 'ask',
    says: 'asks a question, and repeats the answer',
    example: 'ask "Which color?" with options red, green, blue, default green',
    reads: like(
      String.raw`ask:? (?<question>"(?:[^"\\]|\\.)+"|.+?)`,
      '(?: with (?:the )?(?:options?|answers?):? (?<options>.+?)',
      '(?:,? (?:by )?default(?: is)? (?<fallback>[^,]+))?)?',
    ),
    means: (said) => ({
      do: 'ask',
      question: quoted(said.question),
      options: listOf(said.options ?? '', /, | or /),
      fallback: said.fallback === undefined ? null : quoted(said.fallback),
    }),
  },
  {
    name: 'set',
    says: 'changes its own mode, to normal or careful',
    example: 'set mode careful',
    reads: /^(?:set|switch)(?: the)? mode(?: to)? (?<mode>\S+)$/i,
    means: (said) => ({ do: 'set-mode', mode: quoted(said.mode) }),
  },
  {
    name: 'switch',
    says: 'gives the session a title',
    example: 'switch title to A quiet afternoon',
    reads: /^(?:set|switch)(?: the)? title(?: to)? (?<title>.+)$/is,
    means: (said) => ({ do: 'set-title', title: quoted(said.title) }),
  },
  {
    name: 'use',
    says: 'reports tokens as used, and what they cost',
    example: 'use 1200 tokens costing 0.03 dollars',
    reads: /^use (?<tokens>\d+) tokens?(?: costing \$?(?<dollars>\d+(?:\.\d+)?)(?: dollars?)?)?$/i,
    means: (said) => ({
      do: 'use',
      tokens: Number(said.tokens),
      dollars: said.dollars === undefined ? null : Number(said.dollars),
    }),
  },
  {
    name: 'remember',
    says: 'keeps something for as long as the session lives',
    example: 'remember the port is 8080',
    reads: /^remember (?<key>.+?) is (?<value>.+)$/is,
    means: (said) => ({ do: 'remember', key: quoted(said.key), value: quoted(said.value) }),
  },
  {
    name: 'recall',
    says: 'says what it was told to remember',
    example: 'recall the port',
    reads: /^recall (?<key>.+)$/is,
    means: (said) => ({ do: 'recall', key: quoted(said.key) }),
  },
  {
    name: 'wait',
    says: 'waits without a word',
    example: 'wait for 2 seconds',
    reads: like('wait(?: for)? ', time),
    means: (said) => ({ do: 'wait', ms: msOf(said) }),
  },
  {
    name: 'wait',
    says: 'waits until a file is there',
    example: 'wait for go.txt to exist',
    reads: like('wait (?:for|until) ', path('path'), ' (?:to exist|exists)'),
    means: (said) => ({ do: 'wait-for', path: named(said.path) }),
  },
  {
    name: 'repeat',
    says: 'says one sentence several times over; {n} is the number of the time',
    example: 'repeat 3 times: write file-{n}.txt with 10 lines',
    reads: /^repeat (?<times>\d+) times?:? (?<sentence>.+)$/is,
    means: (said) => ({ do: 'repeat', times: Number(said.times), sentence: said.sentence ?? '' }),
  },
  {
    name: 'rate',
    says: 'fails as when a provider has had enough, until the time is over',
    example: 'rate limit for 2 seconds',
    reads: like('(?:hit (?:a|the) )?rate limit(?: for)? ', time),
    means: (said) => ({ do: 'rate-limit', ms: msOf(said) }),
  },
  {
    name: 'fail',
    says: 'ends the turn with an error',
    example: 'fail with the model is not available',
    reads: /^fail(?: with (?<message>.+))?$/is,
    means: (said) => ({ do: 'fail', message: said.message ? quoted(said.message) : 'told to fail' }),
  },
  {
    name: 'refuse',
    says: 'ends the turn with a refusal',
    example: 'refuse',
    reads: /^refuse$/i,
    means: () => ({ do: 'stop', reason: 'refusal' }),
  },
  {
    name: 'stop',
    says: 'ends the turn for a reason: end_turn, max_tokens, max_turn_requests, refusal',
    example: 'stop with max_tokens',
    reads: /^stop with (?<reason>end_turn|max_tokens|max_turn_requests|refusal)$/i,
    means: (said) => ({ do: 'stop', reason: said.reason?.toLowerCase() as 'refusal' }),
  },
  {
    name: 'crash',
    says: 'ends the whole process at once',
    example: 'crash with code 3',
    reads: /^crash(?: with(?: exit)? code (?<code>\d+))?$/i,
    means: (said) => ({ do: 'crash', code: Number(said.code ?? 1) }),
  },
  {
    name: 'hang',
    says: 'does nothing any more and ignores a cancel; `hang hard` ignores all that can be ignored',
    example: 'hang',
    reads: /^hang(?<hard> hard)?$/i,
    means: (said) => ({ do: 'hang', hard: said.hard !== undefined }),
  },
]

/** A file name, with or without the "@" with which apps mention one. */
function named(words = ''): string {
  return quoted(words.trim().replace(/^@(?=.)/, ''))
}

/** The text inside quotation marks or backticks, or the whole text if there are none. */
function quoted(words = ''): string {
  const inside = /^(?:"(?<double>(?:[^"\\]|\\.)*)"|`(?<code>[^`]*)`|“(?<curly>[^”]*)”)$/s.exec(
    words.trim(),
  )?.groups
  if (inside?.double !== undefined) return unescaped(inside.double)
  return inside?.code ?? inside?.curly ?? words.trim()
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

function unescaped(words: string): string {
  return words.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, code: string | undefined, letter: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[letter] ?? letter),
  )
}

function fillingOf(words: string | undefined): Filling {
  if (words === undefined) return { text: 'Written by the rehearsal.\n' }
  const lines = /^(\d+) lines?$/i.exec(words)
  if (lines) return { lines: Number(lines[1]) }
  const size = /^(\d+(?:\.\d+)?) ?(KB|MB|bytes)$/i.exec(words)
  if (size) return { bytes: Math.round(Number(size[1]) * bytesIn(size[2])) }
  return { text: quoted(words) }
}

function bytesIn(unit = ''): number {
  return { kb: 1_024, mb: 1_048_576 }[unit.toLowerCase()] ?? 1
}

function msOf({ amount, unit = '' }: Said): number {
  if (/^(?:ms|milli)/i.test(unit)) return Number(amount)
  return Number(amount) * (/^m/i.test(unit) ? 60_000 : 1_000)
}

function listOf(words = '', between: RegExp): string[] {
  return words
    .split(between)
    .map((item) => quoted(item))
    .filter((item) => item !== '')
}

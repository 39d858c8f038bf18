import type { CommandTree } from '../../commands/completion/command-tree.ts'
import { exitCodes } from '../errors/exit-codes.ts'

const width = 80

const groups: readonly { title: string; names: readonly string[] }[] = [
  {
    title: 'Work with an agent',
    names: ['run', 'attach', 'up', 'send', 'answer', 'cancel', 'handoff', 'agents', 'bring', 'skill', 'mcp'],
  },
  {
    title: 'Files, both ways',
    names: [
      'diff',
      'pull',
      'history',
      'restore',
      'undo',
      'link',
      'links',
      'allow',
      'unlink',
      'pause',
      'resume',
    ],
  },
  {
    title: 'Runs',
    names: [
      'ls',
      'status',
      'rewind',
      'fork',
      'commits',
      'patch',
      'pr',
      'worktree',
      'tasks',
      'schedule',
      'share',
      'close',
    ],
  },
  {
    title: 'This machine, and the hub',
    names: [
      ...['doctor', 'login', 'bind', 'logout', 'devices', 'requests'],
      ...['hub', 'user', 'project', 'secret', 'completion', 'drill'],
    ],
  },
]

/** The first help page: what farhand is for, what to begin with, and all commands, on one screen. */
export function firstPage({ commands, says }: CommandTree, call: string): string {
  const beginWith = [
    ['run "fix the failing test"', 'an agent works on this folder'],
    ['attach', 'come back to it, from wherever you are'],
    ['up', 'your runs in a browser, or on a phone'],
    ['undo', 'undo the last change'],
    ['status', 'show the hub, linked folders and runs'],
    ['run --agent rehearsal "help"', 'try it out, without a model or a key'],
  ].filter(([words = '']) => commands.some(({ name }) => name === words.split(' ')[0]))
  const longest = Math.max(...beginWith.map(([words = '']) => words.length))
  const lines = beginWith.map(([words = '', what]) => `  ${call} ${words.padEnd(longest)}  ${what}`)
  return [
    says,
    '',
    'Begin with one of these:',
    ...lines,
    '',
    ...groupsOf(commands).flatMap(({ title, members }) => [
      `${title}:`,
      ...wrapped(members.map(({ name }) => name)),
    ]),
    '',
    `${call} help all      what each of them does, and the exit codes`,
    `${call} <command> -h  all about one, with examples`,
    '',
  ].join('\n')
}

/** All commands with their summaries, and the exit codes. */
export function allPage({ commands }: CommandTree, call: string): string {
  const longest = Math.max(...commands.map(({ name }) => name.length))
  return [
    ...groupsOf(commands).flatMap(({ title, members }) => [
      `${title}:`,
      ...members.map(({ name, says }) => `  ${name.padEnd(longest)}  ${says}`),
      '',
    ]),
    'Exit codes:',
    ...Object.values(exitCodes).map(({ code, means }) => `  ${String(code).padEnd(5)}${means}`),
    'Under npx and npm the first Ctrl-C shows as 130 too, because npm itself is ended by the signal.',
    '',
    `${call} <command> --help has all about one, with examples; --json and FARHAND_URL work with most.`,
    '',
  ].join('\n')
}

/** A command without a group appears in the last one. */
function groupsOf(commands: readonly CommandTree[]) {
  const listed = groups.flatMap(({ names }) => names)
  const others = commands.filter(({ name }) => !listed.includes(name))
  const found = groups.map(({ title, names }) => ({
    title,
    members: names.flatMap((name) => commands.find((one) => one.name === name) ?? []),
  }))
  const last = found.at(-1)
  if (last) last.members.push(...others)
  return found.filter(({ members }) => members.length > 0)
}

function wrapped(names: readonly string[]): string[] {
  const lines: string[] = []
  for (const name of names) {
    const line = lines.at(-1)
    if (line !== undefined && `${line}  ${name}`.length <= width) lines[lines.length - 1] = `${line}  ${name}`
    else lines.push(`  ${name}`)
  }
  return lines
}

import { runCommand } from '../command-line/run-command.ts'
import type { CommandContext } from './command-context.ts'

export type Ran = { code: number; out: string; notes: string }

/** A context for tests: no terminal, and an empty environment. */
export function testContext(
  given: Partial<CommandContext> = {},
): CommandContext & { ran(): Omit<Ran, 'code'> } {
  const out: string[] = []
  const notes: string[] = []
  return {
    called: { farhand: 'npx farhand', hub: 'npx farhand hub' },
    env: {},
    out: (text) => void out.push(text),
    note: (text) => void notes.push(text),
    color: false,
    columns: Number.POSITIVE_INFINITY,
    isPiped: false,
    unread: new AbortController().signal,
    terminal: false,
    ask: null,
    askHidden: null,
    lines: null,
    keyed: null,
    input: null,
    isTyping: null,
    onInterrupt: () => () => {},
    self: ['farhand'],
    cwd: '/',
    home: '/nowhere',
    platform: 'linux',
    stop: new AbortController().signal,
    ...given,
    ran: () => ({ out: out.join(''), notes: notes.join('') }),
  }
}

/** Runs a command line in this process and throws Trouble as `main.ts` would get it. */
export async function runHere(args: readonly string[], given: Partial<CommandContext> = {}): Promise<Ran> {
  const context = testContext(given)
  const code = await runCommand(args, context)
  return { code, ...context.ran() }
}

import { Console } from 'node:console'
import process from 'node:process'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { CommandContext } from '../../context/command-context.ts'
import { cloudAgentServer, type McpFlags } from './cloud-agent-server.ts'

/** `farhand mcp`: the tools over standard input and output, until the host closes the input. */
export async function mcpCommand(flags: McpFlags, given: CommandContext): Promise<void> {
  // Each line on standard output is a message of the protocol: nothing else may be written there.
  const context: CommandContext = { ...given, out: given.note }
  globalThis.console = new Console(process.stderr, process.stderr)
  const server = serveStdio(() => cloudAgentServer(flags, context), {
    onerror: (error) => context.note(`${error.message}\n`),
  })
  try {
    await inputEnds(context.stop)
  } finally {
    await server.close()
  }
}

const inputEnds = (stop: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (stop.aborted) resolve()
    stop.addEventListener('abort', () => resolve(), { once: true })
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => resolve())
  })

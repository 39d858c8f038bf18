import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { cloudAgentServer, type McpFlags } from './cloud-agent-server.ts'
import { serveHttp } from './serve-http.ts'

const usualPort = 4517

export type McpHttpFlags = McpFlags & { port?: unknown }

/** `farhand mcp --http`: the tools over HTTP, for programs of this machine that have the token. */
export const mcpHttpCommand = (flags: McpHttpFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const port = portOf(flags.port)
    const token = tokenIn(stateFolderPath(flags.state, context))
    const onListening = (url: string) =>
      context.out(
        flags.json
          ? `${JSON.stringify({ event: 'listening', url, token })}\n`
          : `${url}\nAuthorization: Bearer ${token}\n`,
      )
    const make = () => cloudAgentServer(flags, { ...context, out: context.note })
    await serveHttp({ port, token, make, stop: context.stop, onListening }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      throw new Trouble('portTaken', `Port ${port} belongs to another program.`, 'Name another: --port 0')
    })
  })

function portOf(said: unknown): number {
  const port = Number(said ?? usualPort)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new Trouble('usage', `${String(said)} is no port.`, 'Give a number, such as --port 8123.')
}

/** The token of earlier starts, as hosts have it in their settings; a new one at the first start. */
function tokenIn(state: string): string {
  const file = path.join(state, 'mcp-token')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, `fhm_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const token = readFileSync(file, 'utf8').trim()
  if (/^fhm_[\w-]{43}$/.test(token)) return token
  throw new Trouble('failed', `${file} holds no token.`, 'Remove it: a new one is made then.')
}

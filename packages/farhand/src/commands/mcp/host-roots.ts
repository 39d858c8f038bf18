import { fileURLToPath } from 'node:url'
import { inputRequired, inputResponse, type ServerContext } from '@modelcontextprotocol/server'

const entry = 'roots'

/** The result that has the host name the folders that it works on; it then calls the tool again. */
export const askRoots = () => inputRequired({ inputRequests: { [entry]: inputRequired.listRoots() } })

/** The folders that the host has named in this call; null if it was not asked. */
export function rootsOf(ctx: ServerContext): string[] | null {
  const response = inputResponse(ctx.mcpReq.inputResponses, entry)
  if (response.kind !== 'roots') return null
  return response.roots.flatMap(({ uri }) => {
    try {
      return [fileURLToPath(uri)]
    } catch {
      // No folder of this machine.
      return []
    }
  })
}

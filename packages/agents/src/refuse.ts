import { RequestError } from '@agentclientprotocol/sdk'

const internal = -32603

/** Fails with a sentence for the host's people; the library tells them "Internal error" of all that is none of its own. */
export function refuse(error: unknown): never {
  if (error instanceof RequestError || !(error instanceof Error)) throw error
  const { code, path } = error as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  const where = path === undefined ? 'where this agent keeps its sessions' : `of ${path}`
  const said = isFull ? `The disk ${where} is full. Free some space there, then say it again.` : error.message
  throw new RequestError(internal, said, { cause: error.message })
}

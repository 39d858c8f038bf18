import { type Linked, linkWords } from '@farhand/device/handoff/folder-link'
import type { CommandContext } from '../context/command-context.ts'
import { type StartedLink, startLink } from '../linked-folders/start-link.ts'

/** Starts a background link for the folder. */
export function startFolderLink(run: Linked, context: CommandContext): StartedLink {
  const { hub, at, workspace, state } = run
  const once = linkWords(run)
  return startLink({ url: hub.url, token: hub.token, at, workspace }, { state, once }, context)
}

import type { AgentOffers } from '../../agent-controls/agent-offers.ts'
import { slashCommandNames, slashCommandValues } from '../../agent-controls/slash-commands.ts'
import { filesIn } from './files-in.ts'
import type { Names } from './tab-completion.ts'

/** What Tab can name in a conversation with this agent; files only if a folder here has those of the run. */
export const namesHere = (offers: AgentOffers, workspace: string | null): Names => ({
  commands: () => slashCommandNames(offers),
  values: (command) => slashCommandValues(command, offers),
  files: (folder) => (workspace === null ? [] : filesIn(workspace, folder)),
})

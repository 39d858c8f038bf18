import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addAccountCommands } from './account-commands.ts'
import { addAgentCommands } from './agent-commands.ts'
import { addBringCommands } from './bring-commands.ts'
import { addCompletionCommands } from './completion-commands.ts'
import { addDelegationCommands } from './delegation-commands.ts'
import { addDeviceCommands } from './device-commands.ts'
import { addDrillCommands } from './drill-commands.ts'
import { addFinishCommands } from './finish-commands.ts'
import { addFolderCommands } from './folder-commands.ts'
import { addHandoffCommands } from './handoff-commands.ts'
import { addHubCommand } from './hub-commands.ts'
import { addPullCommands } from './pull-commands.ts'
import { addRequestCommands } from './request-commands.ts'
import { addScheduleCommands } from './schedule-commands.ts'
import { addSecretCommands } from './secret-commands.ts'
import { addSharingCommands } from './sharing-commands.ts'
import { addTaskCommands } from './task-commands.ts'
import { addTimeCommands } from './time-commands.ts'
import { addUserCommands } from './user-commands.ts'
import { addWorktreeCommands } from './worktree-commands.ts'

/** Adds every command, in the order in which the help lists them. */
export function addCommands(farhand: Command, context: CommandContext): void {
  addHubCommand(farhand, context)
  addAgentCommands(farhand, context)
  addFolderCommands(farhand, context)
  addDeviceCommands(farhand, context)
  addAccountCommands(farhand, context)
  addHandoffCommands(farhand, context)
  addTaskCommands(farhand, context)
  addTimeCommands(farhand, context)
  addFinishCommands(farhand, context)
  addPullCommands(farhand, context)
  addWorktreeCommands(farhand, context)
  addDrillCommands(farhand, context)
  addRequestCommands(farhand, context)
  addScheduleCommands(farhand, context)
  addSecretCommands(farhand, context)
  addSharingCommands(farhand, context)
  addBringCommands(farhand, context)
  addDelegationCommands(farhand, context)
  addUserCommands(farhand, context)
  addCompletionCommands(farhand, context)
}

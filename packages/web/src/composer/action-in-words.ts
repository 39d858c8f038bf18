import type { RunAction } from '../outbox/actions.ts'

/** Names an action, as the subject of the sentence "... was not accepted". */
export function actionInWords(action: RunAction): string {
  switch (action.do) {
    case 'say':
    case 'steer':
      return 'A message'
    case 'edit':
      return 'A change to a message'
    case 'withdraw':
      return 'Withdrawing a message'
    case 'answer':
      return 'An answer'
    case 'cancel':
      return 'Stopping the agent'
    case 'close':
      return 'Closing the run'
    case 'open':
      return 'Reopening the run'
    case 'run-mode':
      return 'Changing the run settings'
    case 'agent-mode':
      return `The mode ${action.modeId}`
    case 'option':
      return `The setting ${action.configId}`
    case 'shell':
      return `! ${action.command}`
    case 'stop-shell':
      return 'Stopping a command'
    case 'put-back':
      return `Restoring ${action.path}`
  }
}

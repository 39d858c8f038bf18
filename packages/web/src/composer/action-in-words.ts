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
      return 'Taking a message back'
    case 'answer':
      return 'An answer'
    case 'cancel':
      return 'Stopping the agent'
    case 'close':
      return 'Closing the run'
    case 'open':
      return 'Opening the run again'
    case 'run-mode':
      return 'Another way of working'
    case 'agent-mode':
      return `The mode ${action.modeId}`
    case 'option':
      return `The setting ${action.configId}`
    case 'shell':
      return `! ${action.command}`
    case 'stop-shell':
      return 'Stopping a command'
    case 'put-back':
      return `Putting back ${action.path}`
  }
}

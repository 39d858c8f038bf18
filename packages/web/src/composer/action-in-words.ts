import type { Deed } from '../outbox/actions.ts'

/** What somebody wanted, as the subject of "was not taken". */
export function deedInWords(deed: Deed): string {
  switch (deed.do) {
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
      return `The mode ${deed.modeId}`
    case 'option':
      return `The setting ${deed.configId}`
    case 'shell':
      return `! ${deed.command}`
    case 'stop-shell':
      return 'Stopping a command'
    case 'put-back':
      return `Putting back ${deed.path}`
  }
}

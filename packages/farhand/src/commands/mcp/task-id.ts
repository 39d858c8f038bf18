import { Trouble } from '@farhand/device/trouble/trouble'
import { DelegatedTaskId } from '@farhand/protocol/wire/ids'

/** The id that an agent has given, which may have made it up. */
export function taskIdIn(text: string): DelegatedTaskId {
  const id = DelegatedTaskId.safeParse(text.trim())
  if (id.success) return id.data
  throw new Trouble('usage', `${text} is not the id of a task.`, 'cloud_agent_list lists them.')
}

import type { Hub } from '@farhand/client/requests/hub'
import { listProjects } from '@farhand/client/resources/resources'
import type { Project } from '@farhand/protocol/schemas/api'
import { patienceMs } from '../requests/patience-ms.ts'

/** The newest project of this name, or the one with this id; null if there is none. */
export async function projectNamed(hub: Hub, named: string, signal: AbortSignal): Promise<Project | null> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: Project[]; next: string | null } = await listProjects(hub, {
      signal,
      patienceMs,
      ...(cursor !== '' && { cursor }),
    })
    const found = page.items.find(({ id, name }) => id === named || name === named)
    if (found) return found
    cursor = page.next
  }
  return null
}

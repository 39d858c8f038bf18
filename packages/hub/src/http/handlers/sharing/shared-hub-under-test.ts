import { join } from 'node:path'
import type { MadeInvitation, MadeRunLink } from '@farhand/protocol/schemas/sharing'
import type { UserId } from '@farhand/protocol/wire/ids'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { addUser } from '../../../access/users.ts'
import { openSqliteStore } from '../../../store/sqlite-store.ts'
import { HubUnderTest } from '../../hub-under-test.ts'

export type Person = { user: UserId; token: string }

/** A hub whose owner has a run, and whose other users are added and invited as a test needs them. */
export class SharedHub {
  readonly hub: HubUnderTest
  readonly at: RunAddress

  private constructor(hub: HubUnderTest, at: RunAddress) {
    this.hub = hub
    this.at = at
  }

  static async start(): Promise<SharedHub> {
    const hub = await HubUnderTest.start()
    return new SharedHub(hub, await hub.run())
  }

  async person(name: string): Promise<Person> {
    const store = await openSqliteStore(join(this.hub.data, 'store.sqlite'))
    const { user, token } = await addUser(store.db, { name, role: 'member' }, new Date())
    await store.close()
    return { user: user.id, token }
  }

  async invitation(body: Record<string, unknown>): Promise<MadeInvitation> {
    const made = await this.hub.ask('POST', paths.invitations(this.at.project), { body })
    return made.body as never
  }

  accept(invitation: string, { token }: Person) {
    return this.hub.ask('POST', paths.invitationAccept(), { body: { token: invitation }, token })
  }

  /** A user who has joined the project. */
  async joined(name: string, role: 'member' | 'viewer'): Promise<Person> {
    const person = await this.person(name)
    await this.accept((await this.invitation({ role })).token, person)
    return person
  }

  remove({ user }: Person, token = this.hub.token) {
    return this.hub.ask('DELETE', paths.projectMember(this.at.project, user), { token })
  }

  async link(at = this.at, body: Record<string, unknown> = {}): Promise<MadeRunLink> {
    return (await this.hub.ask('POST', paths.runLinks(at), { body })).body as never
  }
}

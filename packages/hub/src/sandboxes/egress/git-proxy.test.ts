import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Fault } from '@farhand/protocol/wire/faults'
import { expect, it } from 'vitest'
import { egressProxyUnderTest } from './egress-proxy-under-test.ts'

it('W41 git is told what to do if the hub cannot decrypt the project’s credential', async () => {
  const { proxy } = await egressProxyUnderTest({
    remotes: ['http://git.example/acme'],
    credentialFor: async () => {
      throw new Fault('secret.locked', 'GIT was sealed with another key; set GIT again')
    },
  })
  const path = '/git/http/git.example/acme/app/info/refs?service=git-upload-pack'
  const [answer] = (await once(get({ socketPath: proxy, path }), 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(502)
  expect(await text(answer)).toContain(
    'http://git.example/acme/app: GIT was sealed with another key; set GIT again',
  )
})

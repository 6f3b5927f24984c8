import { createHttpResponse } from '../http-response.ts'
import type { ToolContext } from '../tool.ts'
import { host, hostReason } from './host.ts'
import { toWitRequest } from './http-request.ts'
import { log } from './log.ts'
import { toolHost } from './tool-host.ts'
import { object, optionalCount } from './wit-value.ts'

/** What one call of a tool is given. Its parts ask the host when they are called, not before. */
export function createToolContext(tokenBudget: number | null): ToolContext {
  return {
    log,
    ...(tokenBudget !== null && { tokenBudget }),
    fetch(url, options) {
      const request = toWitRequest({ ...options, url })
      return createHttpResponse(attempt(() => host.fetchFallible(request)))
    },
    countTokens: text => attempt(() => toolHost.countTokens(String(text).toWellFormed())),
    invokeTool(id, parameters = {}, options = {}) {
      const text = JSON.stringify(object(parameters, 'the parameters'))
      const budget = optionalCount(options.tokenBudget, 'tokenBudget')
      return attempt(() =>
        toolHost.invokeTool(String(id).toWellFormed(), {
          parameters: text.toWellFormed(),
          tokenBudget: budget,
        }),
      )
    },
  }
}

function attempt<T>(run: () => T): T {
  try {
    return run()
  } catch (cause) {
    throw new Error(hostReason(cause), { cause })
  }
}

import { changesContent, flagChange, textChange } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import { list, listed, row, wholeText } from '../../../contract/explanation/shown_values.ts'
import type { TvcDeployment } from '../../../contract/records/records.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'

/** Explains what will run for an app, beside what runs now. The words are those of the request that makes a deployment. */
export function explainLiveDeployment(code: string, deploymentId: string, now: Now): Steps<Content> {
  const next = now.find('tvc_deployment', deploymentId)
  const app = next && now.find('tvc_app', next.appId)
  const liveId = app?.liveDeploymentId
  const live = liveId === undefined ? undefined : now.find('tvc_deployment', liveId)
  const [from, to] = [live && shownOf(live), next && shownOf(next)]
  return changesContent(now, {
    code,
    subject: [...(app === undefined ? [] : [now.named(app.appId)]), now.named(deploymentId)],
    rows: app === undefined ? [] : [row('appId', now.named(app.appId))],
    changes: {
      deploymentId: { from: liveId === undefined ? undefined : now.named(liveId), to: now.named(deploymentId) },
      pivotContainerImageUrl: textChange(from?.image, to?.image),
      pivotPath: textChange(from?.path, to?.path),
      pivotArgs: { from: from?.args, to: to?.args },
      expectedPivotDigest: textChange(from?.digest, to?.digest),
      debugMode: flagChange({ from: from?.debugMode, to: to?.debugMode }),
      qosVersion: textChange(from?.qosVersion, to?.qosVersion),
    },
  })
}

function shownOf({ containerUrl, pivotPath, qosVersion, manifest: { pivot } }: TvcDeployment) {
  const { hash, args, debugMode } = pivot
  return {
    image: containerUrl,
    path: pivotPath,
    digest: hash,
    args: list(listed(args, wholeText)),
    debugMode,
    qosVersion,
  }
}

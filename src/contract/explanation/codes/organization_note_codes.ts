/** The notes about changes of an organization, each with its values. */
export const organizationNoteCodes = [
  /** A denial is deleted, or allows from then on. */
  'denialEnds',
  /** A denial has another condition, consensus or time. */
  'denialChanges',
  /** A policy that allows has no condition, consensus or time any more. */
  'limitEnds',
  /** A policy allows whatever is asked, by whomever. `values`: its name. */
  'allowsAll',
  /** A policy allows whatever is asked, if one of some users approves. `values`: its name, and the users. */
  'allowsAllBy',
  /** A policy lets every user do what decides over others or over keys. `values`: its name, and the deeds. */
  'opens',
  /** The same for some users, each alone. `values`: its name, the deeds, and the users. */
  'opensTo',
  /** The same for any users, if enough approve. `values`: its name, and the deeds. */
  'opensToSeveral',
  /** A policy or a session profile may open deeds, where it takes too many steps to tell. `values`: its name, and the deeds. */
  'mayOpen',
  /** The kinds of activities that a policy may allow at most, if any user approves. `values`: the kinds. */
  'reachesByAll',
  /** The same, if any of some users approves. `values`: the kinds, and the users or tags. */
  'reachesByOne',
  /** The same, if some of some users approve. `values`: the kinds, how many, and the users or tags. */
  'reachesBySeveral',
  /** The same, where there are fewer such users than have to approve. `values`: the kinds, how many, and who. */
  'reachesByTooFew',
  /** The same, if some users approve, whoever they are. `values`: the kinds, and how many. */
  'reachesByNumber',
  /** The same, if its consensus is fulfilled, of which a title does not say more. `values`: the kinds. */
  'reachesBySome',
  /** A denial refuses every request but those of a complete root quorum. `values`: its name. */
  'deniesAll',
  /** The same for requests that make, change or delete policies. `values`: its name. */
  'deniesPolicies',
  /** The same, where it takes too many steps to tell. `values`: its name. */
  'mayDenyPolicies',
  /** A policy names ids that nothing has, or nothing any more. `values`: its name, and the ids. */
  'namesUnknown',
  /** A policy names ids of what is of another kind than it means. `values`: its name, and the things. */
  'namesOtherKind',
  /** A consensus excepts users by `any` and `!=`, so that any other one makes it true. `values`: the policy, and the users. */
  'metByOthers',
  /** Open invitations make users whom a rule names by a tag, an address or a name. `values`: the invitations. */
  'namesInvited',
  /** A tag, a name or an address changes that rules name. `values`: it, and the rules. */
  'rulesGoBy',
  /** A policy that allows has another condition, consensus or time. */
  'allowanceChanges',
  /** The root quorum needs fewer approvals. `values`: how many, and how many before. */
  'fewerApprovals',
  /** Users get into the root quorum. `values`: the users. */
  'joinsQuorum',
  /** Users leave the root quorum. `values`: the users. */
  'leavesQuorum',
  /** All members of the root quorum must approve, which was not so before. `values`: how many they are. */
  'noneMayBeLost',
  /** A user gets a credential that somebody else asked for. `values`: the user. */
  'actsAs',
  /** A user keeps no credential. `values`: the user. */
  'losesWayIn',
  /** A user has a name that looks like that of another one. `values`: the name, and who has it. */
  'looksLike',
  /** A user gets another contact by which one can log in. `values`: the contact, and the user. */
  'contactLogsIn',
  /** Every activity is sent to an address. `values`: the address. */
  'sentTo',
  /** An address gets activities no more. `values`: the address. */
  'sentNoMore',
  /** An MFA policy is deleted. */
  'stepsEnd',
  /** Fewer steps of authentication are enough. `values`: how many, and how many before. */
  'fewerSteps',
  /** Steps of authentication can be taken by more means. `values`: the user, and the means. */
  'stepsAlsoBy',
  /** A user has no means of a step of authentication, so what needs it is blocked. `values`: the user, and its means. */
  'stepImpossible',
  /** Where other MFA policies apply that come first, other steps are due. `values`: these policies. */
  'stepsAfterOthers',
  /** An MFA policy has another condition or other steps. */
  'stepsChange',
  /** An IP allowlist that counts is removed or switched off. */
  'allowlistEnds',
  /** An IP allowlist gets ranges that it did not have, or allows what cannot be judged. */
  'allowlistWidens',
  /** An IP allowlist holds where none did, or lets no address pass. `values`: its ranges. */
  'allowlistOnly',
  /** An IP allowlist that counts holds all of some ranges no more. `values`: these ranges. */
  'allowlistNarrows',
  /** A change of an IP allowlist may shut out whoever asks for it. Without this, it fails then. */
  'allowlistUnchecked',
  /** Passkeys of more origins count, or of all. */
  'originsChange',
  /** Passkeys of some origins count no more. `values`: the origins of those that do. */
  'originsOnly',
  /** Keys are deleted that were never exported. `values`: what has them. */
  'keysLost',
  /** A way to log in or to recover, which was switched off, is on again. */
  'wayInOpens',
  /** The codes of a login get shorter, of fewer characters, or valid for longer. */
  'codesWeaken',
  /** Sessions last longer. `values`: how long, and how long before. */
  'sessionsLonger',
  /** Sessions with a profile may do whatever their user may. `values`: the name of the profile. */
  'sessionsMayAll',
  /** Such sessions may do what decides over others or over keys. `values`: the name, and the deeds. */
  'sessionsMay',
  /** Such sessions last for more than a day. `values`: the name, and how long. */
  'sessionsLong',
  /** Sessions of the auth proxy may do what outlasts them. */
  'sessionsOutlasted',
  /** Users of sub-organizations may choose more of the mails that they ask for. */
  'mailsChosen',
] as const

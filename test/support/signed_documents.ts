/** Documents of typed data that people are really asked to sign, as their makers publish the types. */
export const signedDocuments = {
  Permit: {
    Permit: 'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline',
  },
  PermitSingle: {
    PermitSingle: 'PermitDetails details,address spender,uint256 sigDeadline',
    PermitDetails: 'address token,uint160 amount,uint48 expiration,uint48 nonce',
  },
  PermitBatch: {
    PermitBatch: 'PermitDetails[] details,address spender,uint256 sigDeadline',
    PermitDetails: 'address token,uint160 amount,uint48 expiration,uint48 nonce',
  },
  PermitTransferFrom: {
    PermitTransferFrom: 'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline',
    TokenPermissions: 'address token,uint256 amount',
  },
  SafeTx: {
    SafeTx:
      'address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce',
  },
  OrderComponents: {
    OrderComponents:
      'address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter',
    OfferItem: 'uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount',
    ConsiderationItem:
      'uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient',
  },
  PackedUserOperation: {
    PackedUserOperation:
      'address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData',
  },
  ForwardRequest: {
    ForwardRequest: 'address from,address to,uint256 value,uint256 gas,uint256 nonce,uint48 deadline,bytes data',
  },
  Mail: {
    Mail: 'Person from,Person[] to,string contents,bool urgent,int64[] weights',
    Person: 'string name,address wallet',
  },
} as const

export type Member = { readonly name: string; readonly type: string }

/** `address to,bytes data` as a list of members. */
export function membersOf(text: string): Member[] {
  return text.split(',').map((member) => {
    const [type = '', name = ''] = member.split(' ')
    return { name, type }
  })
}

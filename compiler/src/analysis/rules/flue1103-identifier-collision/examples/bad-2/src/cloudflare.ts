export class FlueChatAgent {}
export default {};

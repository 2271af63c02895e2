export class ChatRoom {}
export default {};
